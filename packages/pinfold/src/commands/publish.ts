import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, parse, resolve } from 'node:path';
import { packFolder, zipNameOf } from '@pinfold/client/node';
import { type FileToPack, packFiles } from '@pinfold/client/zip';
import { defaultLimits, parseFilename, parseIdempotencyKey } from '@pinfold/core';
import { readPath } from '../command-line/arguments.ts';
import { type Command, command } from '../command-line/command.ts';
import { reportingSystemErrors } from '../command-line/errno-error.ts';
import { escapeControls, jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UnavailableError, UsageError } from '../command-line/failures.ts';
import { formatBytes, pluralize } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { filesOfPage } from '../publishing/files-of-page.ts';
import { resumeHint } from '../publishing/persist.ts';
import type { Checked, Published, PublishRequest, WireWarning } from '../publishing/publication.ts';
import { currentFolder, placeOf, TARGET_OPTIONS, withPublications } from '../publishing/publications.ts';
import { requestRefusalText } from '../publishing/refusal-words.ts';
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
    strict: { type: 'boolean', help: 'check first, and publish nothing if there are warnings' },
    'dry-run': { type: 'boolean', help: 'only check: print the errors and warnings, and publish nothing' },
    qr: { type: 'boolean', help: 'draw the link as a QR code, too' },
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      help: 'a key of your own: the same key with the same content publishes only once',
    },
    ...TARGET_OPTIONS,
  },
  help: 'publish a folder, a .zip or a single .html, and print the shared URL',
  example: 'pinfold publish ./dist --title "Spring catalogue"',
  guide: '#publish',
  run: async ([text], { json, ...values }, terminal) => {
    const path = readPath(text, 'PATH');
    placeOf(values, true, terminal);
    terminal.progress?.('packing');
    const packed = await reportingSystemErrors(() => pack(path, values, terminal));
    const idempotencyKey = values['idempotency-key'] ?? randomUUID();
    for (const read of [parseFilename(packed.filename), parseIdempotencyKey(idempotencyKey, defaultLimits)]) {
      if (typeof read !== 'string') throw new UsageError(requestRefusalText(read));
    }
    const request = { ...packed, title: values.title, idempotencyKey };
    const published = await withPublications(values, true, terminal, async (publications) => {
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
    if (json) terminal.out(jsonLine({ ...published, idempotency_key: idempotencyKey }));
    else print(published, terminal);
    if (values.qr) await showCode(published.pin.shared_url, terminal);
  },
});

export const commands: readonly Command[] = [publish];

type Packed = Pick<PublishRequest, 'filename' | 'bytes'>;

interface Wanted {
  readonly name?: string | undefined;
  readonly 'with-files'?: boolean | undefined;
  readonly 'with-dot-files'?: boolean | undefined;
}

const DOT_FILES_NEED_A_FOLDER = '--with-dot-files needs a folder';

async function pack(given: string, wanted: Wanted, terminal: Terminal): Promise<Packed> {
  const { 'with-files': withFiles, 'with-dot-files': dotFiles } = wanted;
  if (given === '-') {
    if (withFiles) throw new UsageError('--with-files needs a page in a folder');
    if (dotFiles) throw new UsageError(DOT_FILES_NEED_A_FOLDER);
    return packInput(wanted.name, terminal);
  }
  if (wanted.name !== undefined) throw new UsageError('--name needs - as PATH');
  const { env } = terminal;
  const path = resolve(currentFolder(env), given);
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error)
      throw new CommandFailure(`${path} cannot be read (${error.code})`, {
        cause: error,
        code: error.code === 'ENOENT' ? 'not_found' : 'unreadable',
      });
    throw error;
  });
  if (!found.isDirectory()) {
    if (dotFiles) throw new UsageError(DOT_FILES_NEED_A_FOLDER);
    const read = async (): Promise<Packed['bytes']> => new Uint8Array(await readFile(path));
    if (isPage(path)) return packWithFiles(path, await read(), withFiles, terminal);
    if (withFiles) throw new UsageError('--with-files needs a single page');
    return packFile(basename(path), read);
  }
  if (withFiles)
    throw new UsageError('--with-files needs a single page: a folder is published with all its files');
  const { leftOut, bytes } = await packFolder(path, { dotFiles }).catch(tooLarge);
  noteLeftOut(leftOut, terminal);
  return { filename: zipNameOf(path), bytes };
}

function tooLarge(error: unknown): never {
  if (error instanceof RangeError) throw new CommandFailure(error.message, { cause: error });
  throw error;
}

function noteLeftOut(leftOut: readonly string[], { err }: Terminal): void {
  if (leftOut.length === 0) return;
  err(
    `left out: ${leftOut.map(escapeControls).join(', ')} (Pinfold never publishes links, private keys, .git, .env, node_modules, tmp and log; --with-dot-files includes other names with a dot)`,
  );
}

async function packInput(name: string | undefined, terminal: Terminal): Promise<Packed> {
  if (name === undefined) throw new UsageError('--name is required: the file name of standard input');
  const read = (): Promise<Packed['bytes']> => {
    if (terminal.input === undefined) throw new UsageError('there is no standard input');
    return terminal.input();
  };
  return isPage(name) ? packPage(name, await read(), terminal) : packFile(name, read);
}

/** Packs a page; the files beside it that it shows only if the user agrees. */
async function packWithFiles(
  path: string,
  page: Packed['bytes'],
  withFiles: boolean | undefined,
  terminal: Terminal,
): Promise<Packed> {
  const { err, confirm } = terminal;
  const beside = await filesOfPage(path, page);
  if (beside.size === 0) return packPage(path, page, terminal);
  const names = [...beside.keys()].sort().map(escapeControls).join(', ');
  const isWanted = withFiles ?? (await confirm?.(`The page shows ${names}. Publish them, too?`));
  if (isWanted === undefined) err(`left out: ${names}; --with-files publishes what the page shows`);
  return packPage(path, page, terminal, isWanted ? beside : undefined);
}

/** Packs a page as the index of a site. */
async function packPage(
  path: string,
  page: Uint8Array,
  terminal: Terminal,
  beside: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<Packed> {
  const others = [...beside].map(([place, bytes]): FileToPack => ({ path: place, bytes }));
  const { bytes, leftOut } = await packFiles([{ path: 'index.html', bytes: page }, ...others]);
  noteLeftOut(leftOut, terminal);
  return { filename: `${parse(path).name}.zip`, bytes };
}

function isPage(filename: string): boolean {
  return /\.html?$/i.test(filename);
}

/** Checks the name before it reads the file. */
async function packFile(filename: string, read: () => Promise<Packed['bytes']>): Promise<Packed> {
  if (/\.zip$/i.test(filename)) return { filename, bytes: await read() };
  throw new UsageError('PATH must be a folder, a .zip or an .html');
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
  terminal.err(escapeControls(`published: ${size}; expires ${pin.expires_at ?? 'never'}`));
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
  for (const { rule, detail, path } of warnings)
    err(escapeControls(`warning: ${path === undefined ? '' : `${path}: `}${detail} (${rule})`));
}
