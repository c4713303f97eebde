import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { findBuildFolder, titleOf } from '@pinfold/client/zip';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { escapeControls, type Terminal } from '../command-line/terminal.ts';
import { isPage, type PackedPath, packFile, packPage, packWhole, type ZipToSend } from './pack.ts';
import { currentFolder } from './publications.ts';

/** The most that Node reads of a file at once: 2 GiB. */
const MAX_BYTES = 2_147_483_647;

type Packed = ZipToSend & Pick<PackedPath, 'folder'> & { readonly pageTitle?: string | undefined };

type FolderOption = 'with-files' | 'with-dot-files' | 'as-is';
interface Wanted extends Readonly<Partial<Record<FolderOption, boolean | undefined>>> {
  readonly name?: string | undefined;
}

export async function packPath(given: string, wanted: Wanted, terminal: Terminal): Promise<Packed> {
  if (given === '-') {
    refuse(wanted, 'with-files', 'a page in a folder');
    refuse(wanted, 'with-dot-files', 'a folder');
    refuse(wanted, 'as-is', 'a folder');
    return packInput(wanted.name, terminal);
  }
  if (wanted.name !== undefined) throw new UsageError('--name needs - as PATH');
  const path = resolve(currentFolder(terminal.env), given);
  const found = await stat(path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const isMissing = error.code === 'ENOENT';
    const message = isMissing
      ? `there is no file or folder ${path}`
      : `${path} cannot be read (${error.code})`;
    throw new CommandFailure(message, { cause: error, code: isMissing ? 'not_found' : 'unreadable' });
  });
  if (found.isDirectory()) {
    refuse(wanted, 'with-files', 'a single page: a folder is published with all its files');
    return packSite(wanted['as-is'] ? given : await withoutSources(given, terminal), wanted, terminal);
  }
  refuse(wanted, 'with-dot-files', 'a folder');
  refuse(wanted, 'as-is', 'a folder');
  if (found.size > MAX_BYTES)
    throw new CommandFailure(
      `${path} is larger than 2 GiB, the most that can be published`,
      'archive_too_large',
    );
  const read = async (): Promise<Packed['bytes']> => new Uint8Array(await readFile(path));
  if (isPage(path)) return packWithFiles(path, await read(), wanted['with-files'], terminal);
  refuse(wanted, 'with-files', 'a single page');
  return packFile(basename(path), read);
}

function refuse(wanted: Wanted, option: FolderOption, what: string): void {
  if (wanted[option]) throw new UsageError(`--${option} needs ${what}`);
}

async function packSite(given: string, wanted: Wanted, terminal: Terminal): Promise<Packed> {
  const path = resolve(currentFolder(terminal.env), given);
  const { leftOut, ...packed } = await packWhole(path, { dotFiles: wanted['with-dot-files'] });
  noteLeftOut(leftOut, terminal);
  const index = join(path, 'index.html');
  const pageTitle = existsSync(index) ? titleOf(await readFile(index)) : undefined;
  return { ...packed, pageTitle };
}

/** The built site in a folder that looks like the project it was built from, unless the user wants all of it. */
async function withoutSources(given: string, { env, confirm }: Terminal): Promise<string> {
  const built = findBuildFolder((file) => existsSync(resolve(currentFolder(env), given, file)));
  if (built === undefined) return given;
  const warning = `${given} looks like the project of a site, with the built site in ${join(given, built)}`;
  if (await confirm?.(`${warning}. Publish ${join(given, built)}?`)) return join(given, built);
  if (await confirm?.(`Publish all of ${given}, with its sources?`)) return given;
  throw new CommandFailure(`${warning}: publish that, or all of it with --as-is`, 'looks_like_project');
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
  return isPage(name) ? packTitled(name, await read(), terminal) : packFile(name, read);
}

async function packWithFiles(
  path: string,
  page: Packed['bytes'],
  withFiles: boolean | undefined,
  terminal: Terminal,
): Promise<Packed> {
  const { err, confirm } = terminal;
  // Only this reads references, with much of what proves archives.
  const { filesOfPage } = await import('./files-of-page.ts');
  const beside = await filesOfPage(path, page);
  if (beside.size === 0) return packTitled(path, page, terminal);
  const names = [...beside.keys()].sort().map(escapeControls).join(', ');
  const isWanted = withFiles ?? (await confirm?.(`The page shows ${names}. Publish them, too?`));
  if (isWanted === undefined) err(`left out: ${names}; --with-files publishes what the page shows`);
  return packTitled(path, page, terminal, isWanted ? beside : undefined);
}

async function packTitled(
  path: string,
  page: Packed['bytes'],
  terminal: Terminal,
  beside?: ReadonlyMap<string, Uint8Array>,
): Promise<Packed> {
  const { leftOut, ...packed } = await packPage(path, page, beside);
  noteLeftOut(leftOut, terminal);
  return { ...packed, pageTitle: titleOf(page) };
}
