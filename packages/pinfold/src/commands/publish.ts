import { randomUUID } from 'node:crypto';
import type { DryRun } from '@pinfold/client';
import { defaultLimits, parseFilename, parseIdempotencyKey, parseTitle } from '@pinfold/core';
import type { WireWarning } from '@pinfold/http-express/internal/problems';
import { SystemClock } from '@pinfold/platform-node/internal/system-clock';
import { createBuildTitle, deriveRunKey, isCi, readNameToPublish, TO_BRANCH } from '../ci/build-job.ts';
import { rethrowWithSummary, writeStepFiles } from '../ci/step-files.ts';
import { readPath } from '../command-line/arguments.ts';
import { type Command, command, flagOption, valueOption } from '../command-line/command.ts';
import {
  CommandFailure,
  explainSystemErrors,
  UnavailableError,
  UsageError,
} from '../command-line/failures.ts';
import { formatBytes, formatExpiry, pluralize } from '../command-line/print-list.ts';
import { escapeControls, formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import { explainRefusal } from '../publishing/explain-refusal.ts';
import { checkStaysProtected } from '../publishing/move-name.ts';
import { packPath } from '../publishing/pack-path.ts';
import {
  chooseTarget,
  type Publications,
  type Published,
  type PublishRequest,
  TARGET_OPTIONS,
  withTarget,
} from '../publishing/publications.ts';
import { groupFindings, readArgument } from '../publishing/refusal-text.ts';
import { SettingsError } from '../settings/settings-error.ts';

const publish = command({
  name: 'publish',
  group: 'publications',
  arguments: ['PATH'],
  options: {
    title: valueOption('TEXT', 'the title on the management screen'),
    name: valueOption(
      'NAME',
      'the file name of standard input, such as report.html or site.zip, if PATH is -',
    ),
    to: valueOption('NAME', 'the name that will show it; its link stays the same'),
    'to-branch': TO_BRANCH,
    'password-stdin': flagOption('protect it with a password, typed in, or read from standard input'),
    'no-password': flagOption('publish without a password to a name that shows a protected publication'),
    'with-files': flagOption(
      'with a single page, also publish the images, styles and scripts that it shows;\na terminal asks',
    ),
    'with-dot-files': flagOption(
      'include files and folders whose names begin with a dot (.well-known is always included)',
    ),
    'as-is': flagOption('publish all of a folder that looks like the project of a site, with its sources'),
    strict: flagOption('check first, and publish nothing if there are warnings'),
    'dry-run': flagOption('only check: print the errors and warnings, and publish nothing'),
    qr: flagOption('also draw the link as a QR code'),
    'idempotency-key': valueOption(
      'KEY',
      'a key of your own: the same key with the same content publishes only once;\nin CI the key of a job is the same in each attempt of a run',
    ),
    ...TARGET_OPTIONS,
  },
  help: 'publish a folder, a .zip or a single .html, and print the shared URL',
  example: 'pinfold publish ./dist --title "Spring catalogue"',
  guide: '../publish-with-the-command.md#publish',
  run: async ([text], { json, ...values }, terminal) => {
    const { env } = terminal;
    const path = readPath(text, 'PATH');
    const target = chooseTarget(values, true, terminal);
    if (values.title !== undefined) readArgument(parseTitle(values.title, defaultLimits));
    const name = readNameToPublish(values, '--to', env);
    const password = await readPassword(path, values, terminal);
    terminal.progress?.('packing');
    const rethrow = (error: unknown): Promise<never> => rethrowWithSummary(error, env);
    const { pageTitle, folder, ...packed } = await explainSystemErrors(() =>
      packPath(path, values, terminal),
    ).catch(rethrow);
    const title = values.title ?? (await chooseTitle(pageTitle, values['idempotency-key'], json, terminal));
    const content = { ...packed, title, name, password };
    const idempotencyKey = values['idempotency-key'] ?? deriveRunKey(content, env) ?? randomUUID();
    readArgument(parseFilename(packed.filename));
    readArgument(parseIdempotencyKey(idempotencyKey, defaultLimits));
    const request = { ...content, idempotencyKey };
    let isSending = false;
    const task = async (publications: Publications): Promise<Published | { readonly checked: DryRun }> => {
      if (!values['no-password']) await checkStaysProtected(publications.api, request);
      if (values.strict || values['dry-run']) {
        const checked = await publications.api.check(packed.bytes, { filename: packed.filename, title });
        if (values['dry-run']) return { checked: name === undefined ? checked : { ...checked, name: null } };
        const warnings = checked.warnings.filter(isStrictWarning);
        if (warnings.length > 0) throw strictFailure(warnings, terminal);
      }
      terminal.reportKeyOnSignal?.(idempotencyKey);
      isSending = true;
      const published = await publications.publish(request);
      checkReplay(published, request, values['idempotency-key'] === undefined);
      return restoreName(published, name, publications);
    };
    const published = await withTarget(target, terminal, task, { sharesBudget: true }).catch(
      async (error: unknown) => {
        const failure = explainFailure(error, isSending ? idempotencyKey : undefined, terminal);
        return rethrow(await explainRefusal(failure, path, { ...packed, folder }));
      },
    );
    if ('checked' in published) return printCheck(published.checked, json, values.strict === true, terminal);
    if (json) terminal.out(formatJsonLine({ ...published, idempotency_key: idempotencyKey }));
    else printPublished(published, terminal);
    if (values.qr) await printQrCode(published.pin.shared_url, terminal);
    await writeStepFiles(published, env);
  },
});

export const commands: readonly Command[] = [publish];

type Protection = Readonly<Partial<Record<'password-stdin' | 'no-password', boolean | undefined>>>;

/** Reads a password, never from an argument: other users of the machine could see it. */
async function readPassword(
  path: string,
  { 'password-stdin': isRequired, 'no-password': isUnprotected }: Protection,
  { secret }: Terminal,
): Promise<string | undefined> {
  if (!isRequired) return undefined;
  if (isUnprotected) throw new UsageError('--password-stdin cannot be used with --no-password');
  if (path === '-') throw new UsageError('--password-stdin needs standard input, so PATH cannot be -');
  const password = await secret?.('Password: ');
  // An empty password is probably an unset variable of a script.
  if (!password) throw new UsageError('--password-stdin needs a password on standard input');
  return password;
}

/** Chooses a title if none is given: that of the build in CI, or the page's own if the user at a terminal agrees. */
async function chooseTitle(
  pageTitle: string | undefined,
  idempotencyKey: string | undefined,
  json: boolean,
  terminal: Terminal,
): Promise<string | undefined> {
  // With a key of the user, a different title would be a mismatch, so the title must not depend on the build.
  if (isCi(terminal.env))
    return idempotencyKey === undefined ? createBuildTitle(pageTitle, terminal.env) : undefined;
  if (json || pageTitle === undefined) return undefined;
  return (await terminal.confirm?.(`Use the page's title, "${pageTitle}"?`)) ? pageTitle : undefined;
}

/** Sets the name again if it was deleted after an earlier attempt of the job published. */
async function restoreName(
  published: Published,
  name: string | undefined,
  publications: Publications,
): Promise<Published> {
  if (name === undefined || !published.replayed || published.name) return published;
  return { ...published, ...(await publications.api.names.set(name, published.pin.id)) };
}

/** Throws if the earlier publication of the key has ended, or lacks the password of this request. */
function checkReplay(
  { pin, replayed }: Published,
  { password, idempotencyKey }: Pick<PublishRequest, 'password' | 'idempotencyKey'>,
  /** Whether the key is that of a job in CI. */
  isKeyOfJob: boolean,
): void {
  if (!replayed) return;
  const ended = { published: undefined, expired: 'has expired', deleted: 'was stopped' }[pin.state];
  const problem =
    ended ?? (password !== undefined && !pin.password_protected ? 'has no password' : undefined);
  if (problem === undefined) return;
  const advice = isKeyOfJob ? 'start a new run of the job' : 'give another --idempotency-key';
  const detail = `this was published before, and that publication ${problem}: ${advice} to publish it again`;
  throw new CommandFailure(detail, {
    json: { code: 'invalid_state', detail, idempotency_key: idempotencyKey },
  });
}

/** Whether `--strict` stops at a warning. Two warnings are only about possible problems. */
function isStrictWarning({ rule }: WireWarning): boolean {
  return rule !== 'not_all_checked' && rule !== 'needs_origin';
}

function strictFailure(warnings: readonly WireWarning[], terminal: Terminal): CommandFailure {
  printWarnings(warnings, terminal);
  const detail = `--strict: ${pluralize(warnings.length, 'warning')}, so nothing was published`;
  return new CommandFailure(detail, { json: { code: 'warnings', detail, errors: warnings } });
}

function explainFailure(
  error: unknown,
  /** The key of the request; `undefined` if sending has not begun. */
  sentKey: string | undefined,
  terminal: Terminal,
): unknown {
  if (error instanceof SettingsError) {
    const { option, expectation } = error;
    return new SettingsError(option, `${expectation}; --url names a server elsewhere`, error);
  }
  if (!(error instanceof UnavailableError) || sentKey === undefined) return error;
  terminal.err(formatResumeHint(sentKey, 'giving up: check the server and its URL, then'));
  const { json, message } = error;
  const resumable = { code: 'unavailable', detail: message, ...json, idempotency_key: sentKey };
  return new UnavailableError(message, { cause: error, json: resumable });
}

/** Prints to standard error, since scripts read the link on standard output. */
async function printQrCode(link: string, { err }: Terminal): Promise<void> {
  const { encodeQR } = await import('qr');
  for (const line of encodeQR(link, 'ascii').trimEnd().split('\n')) err(line);
}

function printPublished({ pin, name, warnings }: Published, terminal: Terminal): void {
  const size = `${pluralize(pin.file_count, 'file')}, ${formatBytes(pin.size)}`;
  terminal.err(
    escapeControls(`published: ${size}; expires ${formatExpiry(pin.expires_at, new SystemClock().now())}`),
  );
  printWarnings(warnings, terminal);
  if (name) terminal.err(escapeControls(`${name.name} shows it: ${name.url}`));
  terminal.out(escapeControls(pin.shared_url));
}

function printCheck(checked: DryRun, json: boolean, strict: boolean, terminal: Terminal): void {
  const { archive, warnings } = checked;
  if (json) terminal.out(formatJsonLine(checked));
  else {
    printWarnings(warnings, terminal);
    const size = `${pluralize(archive.file_count, 'file')}, ${formatBytes(archive.size)}`;
    terminal.out(`can be published: ${size}, ${pluralize(warnings.length, 'warning')}`);
  }
  const strictWarnings = warnings.filter(isStrictWarning);
  if (strict && strictWarnings.length > 0)
    throw new CommandFailure(`--strict: ${pluralize(strictWarnings.length, 'warning')}`, { reported: true });
}

function printWarnings(warnings: readonly WireWarning[], { err }: Terminal): void {
  for (const { sentence, places } of groupFindings(warnings)) {
    err(escapeControls(`warning: ${sentence}`));
    for (const place of places) err(escapeControls(`    ${place}`));
  }
}

/** Explains how to continue after an attempt with an unknown outcome; quotes the key for a POSIX shell if necessary. */
export function formatResumeHint(
  idempotencyKey: string,
  reason: 'giving up: check the server and its URL, then' | 'interrupted:',
): string {
  return `${reason} repeat the command with --idempotency-key ${quoteForShell(idempotencyKey)}, which publishes only once, even if an attempt succeeded`;
}

function quoteForShell(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
