import { randomUUID } from 'node:crypto';
import { defaultLimits, parseFilename, parseIdempotencyKey } from '@pinfold/core';
import { SystemClock } from '@pinfold/platform-node';
import { keyOfRun } from '../ci/run-key.ts';
import { writeStepFiles } from '../ci/step-files.ts';
import { readPath } from '../command-line/arguments.ts';
import { type Command, command } from '../command-line/command.ts';
import { reportingSystemErrors } from '../command-line/errno-error.ts';
import { escapeControls, jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UnavailableError, UsageError } from '../command-line/failures.ts';
import { formatBytes, formatExpiry, pluralize } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { packPath } from '../publishing/pack-path.ts';
import { resumeHint } from '../publishing/persist.ts';
import type { Checked, Published, PublishRequest, WireWarning } from '../publishing/publication.ts';
import { atPlace, placeOf, TARGET_OPTIONS } from '../publishing/publications.ts';
import { requestRefusalText } from '../publishing/refusal-words.ts';
import { warningGroups } from '../publishing/warning-text.ts';
import { SettingsError } from '../settings/settings-error.ts';

const publish = command({
  name: 'publish',
  group: 'publications',
  arguments: ['PATH'],
  options: {
    title: { type: 'string', value: 'TEXT', help: 'the title that the management screen shows' },
    name: {
      type: 'string',
      value: 'NAME',
      help: 'the file name of standard input, such as report.html or site.zip, if PATH is -',
    },
    'with-files': {
      type: 'boolean',
      help: 'with a single page, publish the images, styles and scripts beside it that it shows;\na terminal is asked',
    },
    'with-dot-files': {
      type: 'boolean',
      help: 'include files and folders whose names begin with a dot (.well-known is always included)',
    },
    'as-is': {
      type: 'boolean',
      help: 'publish all of a folder that looks like the project of a site, with its sources',
    },
    strict: { type: 'boolean', help: 'check first, and publish nothing if there are warnings' },
    'dry-run': { type: 'boolean', help: 'only check: print the errors and warnings, and publish nothing' },
    qr: { type: 'boolean', help: 'draw the link as a QR code, too' },
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      help: 'a key of your own: the same key with the same content publishes only once;\nin CI the key of a job is the same in each attempt of a run',
    },
    ...TARGET_OPTIONS,
  },
  help: 'publish a folder, a .zip or a single .html, and print the shared URL',
  example: 'pinfold publish ./dist --title "Spring catalogue"',
  guide: '#publish',
  run: async ([text], { json, ...values }, terminal) => {
    const { env } = terminal;
    const path = readPath(text, 'PATH');
    const place = placeOf(values, true, terminal);
    terminal.progress?.('packing');
    const { pageTitle, ...packed } = await reportingSystemErrors(() => packPath(path, values, terminal));
    const title = values.title ?? (json ? undefined : await offeredTitle(pageTitle, terminal));
    const content = { ...packed, title };
    const idempotencyKey = values['idempotency-key'] ?? keyOfRun(content, env) ?? randomUUID();
    for (const read of [parseFilename(packed.filename), parseIdempotencyKey(idempotencyKey, defaultLimits)]) {
      if (typeof read !== 'string') throw new UsageError(requestRefusalText(read));
    }
    const request = { ...content, idempotencyKey };
    const published = await atPlace(place, terminal, async (publications) => {
      if (values.strict || values['dry-run']) {
        const checked = await publications.check(request);
        if (values['dry-run']) return { checked };
        const warnings = checked.warnings.filter(({ rule }) => rule !== 'not_all_checked');
        if (warnings.length > 0) throw strictFailure(warnings, terminal);
      }
      return publications.publish(request);
    }).catch((error: unknown) => {
      throw explained(error, request, terminal);
    });
    if ('checked' in published) return printCheck(published.checked, json, values.strict === true, terminal);
    refuseUselessReplay(published, request);
    if (json) terminal.out(jsonLine({ ...published, idempotency_key: idempotencyKey }));
    else print(published, terminal);
    if (values.qr) await showCode(published.pin.shared_url, terminal);
    await writeStepFiles(published, env);
  },
});

export const commands: readonly Command[] = [publish];

/** The page's own title, if the user wants it to be the publication's. */
async function offeredTitle(
  pageTitle: string | undefined,
  { confirm }: Terminal,
): Promise<string | undefined> {
  if (pageTitle === undefined) return undefined;
  return (await confirm?.(`Use the page's title, "${pageTitle}"?`)) ? pageTitle : undefined;
}

/** Nothing was published now, and what was published before is not what the user wants. */
function refuseUselessReplay(
  { pin, replayed }: Published,
  { password, idempotencyKey }: Pick<PublishRequest, 'password' | 'idempotencyKey'>,
): void {
  if (!replayed) return;
  const ended = { published: undefined, expired: 'has expired', deleted: 'was stopped' }[pin.state];
  const fault = ended ?? (password !== undefined && !pin.password_protected ? 'has no password' : undefined);
  if (fault === undefined) return;
  const detail = `this was published before, and that publication ${fault}: give another --idempotency-key to publish it again`;
  throw new CommandFailure(detail, {
    json: { code: 'invalid_state', detail, idempotency_key: idempotencyKey },
  });
}

function strictFailure(warnings: readonly WireWarning[], terminal: Terminal): CommandFailure {
  printWarnings(warnings, terminal);
  const detail = `--strict: ${pluralize(warnings.length, 'warning')}, so nothing was published`;
  return new CommandFailure(detail, { json: { code: 'warnings', detail, errors: warnings } });
}

/** Adds what the user can do about a failure: the option for a server elsewhere, or how to repeat the command. */
function explained(error: unknown, request: PublishRequest, { err }: Terminal): unknown {
  if (error instanceof SettingsError) {
    const { variable, message, cause } = error;
    const expectation = message.slice(variable.length + 1);
    return new SettingsError(variable, `${expectation}; --url names a server elsewhere`, { cause });
  }
  if (!(error instanceof UnavailableError)) return error;
  err(resumeHint(request));
  const json = {
    code: 'unavailable',
    detail: error.message,
    ...error.json,
    idempotency_key: request.idempotencyKey,
  };
  return new UnavailableError(error.message, { cause: error, json });
}

/** On standard error, since scripts read the link on standard output. */
async function showCode(link: string, { err }: Terminal): Promise<void> {
  const { encodeQR } = await import('qr');
  for (const line of encodeQR(link, 'ascii').trimEnd().split('\n')) err(line);
}

function print({ pin, warnings }: Published, terminal: Terminal): void {
  const size = `${pluralize(pin.file_count, 'file')}, ${formatBytes(pin.size)}`;
  terminal.err(
    escapeControls(`published: ${size}; expires ${formatExpiry(pin.expires_at, new SystemClock().now())}`),
  );
  printWarnings(warnings, terminal);
  terminal.out(escapeControls(pin.shared_url));
}

function printCheck(
  { archive, warnings }: Checked,
  json: boolean,
  strict: boolean,
  terminal: Terminal,
): void {
  if (json) terminal.out(jsonLine({ pin: null, archive, warnings }));
  else {
    printWarnings(warnings, terminal);
    const size = `${pluralize(archive.file_count, 'file')}, ${formatBytes(archive.size)}`;
    terminal.out(`can be published: ${size}, ${pluralize(warnings.length, 'warning')}`);
  }
  const counted = warnings.filter(({ rule }) => rule !== 'not_all_checked');
  if (strict && counted.length > 0)
    throw new CommandFailure(`--strict: ${pluralize(counted.length, 'warning')}`, { reported: true });
}

function printWarnings(warnings: readonly WireWarning[], { err }: Terminal): void {
  for (const { sentence, places } of warningGroups(warnings)) {
    err(escapeControls(`warning: ${sentence}`));
    for (const place of places) err(escapeControls(`    ${place}`));
  }
}
