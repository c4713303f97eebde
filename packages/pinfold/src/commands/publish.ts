import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, parse, resolve } from 'node:path';
import { packFolder, zipNameOf } from '@pinfold/client/node';
import { type FileToPack, packFiles } from '@pinfold/client/zip';
import {
  type AccountId,
  type Duration,
  defaultLimits,
  parseFilename,
  parseIdempotencyKey,
} from '@pinfold/core';
import { ServerAway } from '../api-client/api-call.ts';
import { type Server, serverOf } from '../api-client/server.ts';
import { readAccount, readArguments, readPlace } from '../command-line/arguments.ts';
import { saidByTheSystem } from '../command-line/errno-error.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { knownAddresses, noteSilence } from '../command-line/known-addresses.ts';
import { OPTIONS } from '../command-line/options.ts';
import { counted } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { filesOfPage } from '../publishing/files-of-page.ts';
import { GivenUp, resumption } from '../publishing/persist.ts';
import type { Published, Wish } from '../publishing/publication.ts';
import { publishDirectly } from '../publishing/publish-directly.ts';
import { publishOverHttp } from '../publishing/publish-over-http.ts';
import { wishWords } from '../publishing/refusal-words.ts';
import { SettingsError } from '../settings/settings-error.ts';

/** `pinfold publish PATH` */
export async function publish(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['PATH'], OPTIONS.publish);
  const server = serverOf(values, terminal);
  if (server !== undefined && values.account !== undefined) {
    throw new UsageError('--account cannot be used with --url: the key says whose account it is');
  }
  const path = readPlace(positionals[0], 'PATH');
  const account = values.account === undefined ? undefined : readAccount(values.account);
  terminal.progress?.('packing');
  const packed = await saidByTheSystem(() => pack(path, values, terminal));
  const idempotencyKey = values['idempotency-key'] ?? randomUUID();
  for (const read of [parseFilename(packed.filename), parseIdempotencyKey(idempotencyKey, defaultLimits)]) {
    if (typeof read !== 'string') throw new UsageError(wishWords(read));
  }
  const wish = { ...packed, title: values.title, idempotencyKey };
  const published = await send(wish, server, account, terminal).catch((error: unknown) => {
    if (error instanceof SettingsError && server === undefined) {
      const { variable, message } = error;
      const expectation = message.slice(variable.length + 1);
      throw new SettingsError(variable, `${expectation}; a server elsewhere is named by --url`, {
        cause: error,
      });
    }
    if (!(error instanceof GivenUp || error instanceof ServerAway)) throw error;
    terminal.err(resumption(wish));
    throw error instanceof GivenUp ? error.cause : error;
  });
  if (values.json) terminal.out(jsonLine({ ...published, idempotency_key: idempotencyKey }));
  else tell(published, terminal);
  if (values.qr) await showCode(published.pin.shared_url, terminal);
}

/**
 * The folder that the caller stands in: `npm run pinfold` changes to that of the project first. A script of any other
 * name means the folder it runs in.
 */
function standingIn({ INIT_CWD, npm_lifecycle_event }: Terminal['env']): string {
  return (npm_lifecycle_event === 'pinfold' && INIT_CWD) || process.cwd();
}

type Packed = Pick<Wish, 'filename' | 'bytes'>;

interface Wanted {
  readonly name?: string | undefined;
  readonly 'with-files'?: boolean | undefined;
  readonly 'with-dot-files'?: boolean | undefined;
}

const DOT_FILES_NEED_A_FOLDER = '--with-dot-files is for a folder';

async function pack(given: string, wanted: Wanted, terminal: Terminal): Promise<Packed> {
  const { 'with-files': withFiles, 'with-dot-files': dotFiles } = wanted;
  if (given === '-') {
    if (withFiles) throw new UsageError('--with-files is for a page in a folder');
    if (dotFiles) throw new UsageError(DOT_FILES_NEED_A_FOLDER);
    return packInput(wanted.name, terminal);
  }
  if (wanted.name !== undefined) throw new UsageError('--name is for standard input, where PATH is -');
  const { env } = terminal;
  const path = resolve(standingIn(env), given);
  const found = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error)
      throw new CommandFailure(`${path} cannot be read (${error.code})`, { cause: error });
    throw error;
  });
  if (!found.isDirectory()) {
    if (dotFiles) throw new UsageError(DOT_FILES_NEED_A_FOLDER);
    const read = async (): Promise<Packed['bytes']> => new Uint8Array(await readFile(path));
    if (isPage(path)) return packWithFiles(path, await read(), withFiles, terminal);
    if (withFiles) throw new UsageError('--with-files is for a single page');
    return packFile(basename(path), read);
  }
  if (withFiles) throw new UsageError('--with-files is for a single page: a folder has all its files');
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
    `left out: ${leftOut.map(shownText).join(', ')} (links, private keys, .git, .env, node_modules, tmp and log are never packed; --with-dot-files packs other names with a dot)`,
  );
}

async function packInput(name: string | undefined, terminal: Terminal): Promise<Packed> {
  if (name === undefined) throw new UsageError('--name is needed, which says what standard input is');
  const read = (): Promise<Packed['bytes']> => {
    if (terminal.input === undefined) throw new UsageError('there is no standard input');
    return terminal.input();
  };
  return isPage(name) ? packPage(name, await read(), terminal) : packFile(name, read);
}

/** A page alone says less than its author saw; but what lies beside it goes along only when a person says so. */
async function packWithFiles(
  path: string,
  page: Packed['bytes'],
  withFiles: boolean | undefined,
  terminal: Terminal,
): Promise<Packed> {
  const { err, confirm } = terminal;
  const beside = await filesOfPage(path, page);
  if (beside.size === 0) return packPage(path, page, terminal);
  const names = [...beside.keys()].sort().map(shownText).join(', ');
  const isWanted = withFiles ?? (await confirm?.(`The page shows ${names}. Publish them, too?`));
  if (isWanted === undefined) err(`left out: ${names}; --with-files takes along what the page shows`);
  return packPage(path, page, terminal, isWanted ? beside : undefined);
}

/** Packs a page as the only one of its site. */
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

/** Reads a file only when its name says that it can be published. */
async function packFile(filename: string, read: () => Promise<Packed['bytes']>): Promise<Packed> {
  if (/\.zip$/i.test(filename)) return { filename, bytes: await read() };
  throw new UsageError('what is published is a folder, a .zip or an .html');
}

async function send(
  wish: Wish,
  server: Server | undefined,
  account: AccountId | undefined,
  terminal: Terminal,
): Promise<Published> {
  if (server !== undefined) return publishOverHttp(server, wish, terminal);
  const note = (reason: Error, pause: Duration): void => {
    terminal.err(`${reason.message.replace(/\.$/, '')}; trying again in ${Math.ceil(pause / 1_000)} s`);
  };
  return withComposition(terminal, async (composition, settings) => {
    const addresses = knownAddresses(settings);
    terminal.progress?.('proving');
    const published = await publishDirectly(composition, addresses, wish, account, note);
    await noteSilence(addresses, terminal);
    return published;
  });
}

/** Beside the link, which alone is for scripts. */
async function showCode(link: string, { err }: Terminal): Promise<void> {
  const { encodeQR } = await import('qr');
  for (const line of encodeQR(link, 'ascii').trimEnd().split('\n')) err(line);
}

function tell({ pin, warnings }: Published, { out, err }: Terminal): void {
  const size = `${counted(pin.file_count, 'file')}, ${pin.size} bytes`;
  err(shownText(`published: ${size}; expires ${pin.expires_at ?? 'never'}`));
  for (const { rule, detail, path } of warnings)
    err(shownText(`note: ${path === undefined ? '' : `${path}: `}${detail} (${rule})`));
  out(shownText(pin.shared_url));
}
