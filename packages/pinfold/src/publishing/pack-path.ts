import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, parse, resolve } from 'node:path';
import { type PackFolderOptions, packFolder, zipNameOf } from '@pinfold/client/node';
import { findBuildFolder, packFiles, titleOf } from '@pinfold/client/zip';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { readFileOrPipe } from '../command-line/input.ts';
import { escapeControls, type Terminal } from '../command-line/terminal.ts';
import { currentFolder, type PublishRequest } from './publications.ts';

/** Node reads at most 2 GiB of a file at once. */
const MAX_BYTES = 2_147_483_647;

type Packed = ZipToSend & Pick<PackedPath, 'folder'> & { readonly pageTitle?: string | undefined };

type FolderOption = 'with-files' | 'with-dot-files' | 'as-is';
interface PackOptions extends Readonly<Partial<Record<FolderOption, boolean | undefined>>> {
  readonly name?: string | undefined;
}

export async function packPath(argument: string, options: PackOptions, terminal: Terminal): Promise<Packed> {
  if (argument === '-') {
    rejectOption(options, 'with-files', 'a page in a folder');
    rejectOption(options, 'with-dot-files', 'a folder');
    rejectOption(options, 'as-is', 'a folder');
    return packStandardInput(options.name, terminal);
  }
  if (options.name !== undefined) throw new UsageError('--name needs - as PATH');
  const path = resolve(currentFolder(terminal.env), argument);
  const stats = await stat(path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const isMissing = error.code === 'ENOENT';
    const message = isMissing
      ? `there is no file or folder ${path}`
      : `${path} cannot be read (${error.code})`;
    throw new CommandFailure(message, { cause: error, code: isMissing ? 'not_found' : 'unreadable' });
  });
  if (stats.isDirectory()) {
    rejectOption(options, 'with-files', 'a single page: a folder is published with all its files');
    return packSite(options['as-is'] ? argument : await chooseFolder(argument, terminal), options, terminal);
  }
  rejectOption(options, 'with-dot-files', 'a folder');
  rejectOption(options, 'as-is', 'a folder');
  if (stats.size > MAX_BYTES)
    throw new CommandFailure(
      `${path} is larger than 2 GiB, the most that can be published`,
      'archive_too_large',
    );
  const read = (): Promise<Packed['bytes']> => readFileOrPipe(path);
  if (isPage(path)) return packWithFiles(path, await read(), options['with-files'], terminal);
  rejectOption(options, 'with-files', 'a single page');
  return packFile(basename(path), read);
}

function rejectOption(options: PackOptions, option: FolderOption, requirement: string): void {
  if (options[option]) throw new UsageError(`--${option} needs ${requirement}`);
}

async function packSite(argument: string, options: PackOptions, terminal: Terminal): Promise<Packed> {
  const path = resolve(currentFolder(terminal.env), argument);
  const { leftOut, ...packed } = await packWholeFolder(path, { dotFiles: options['with-dot-files'] });
  printLeftOut(leftOut, terminal);
  const index = join(path, 'index.html');
  const pageTitle = existsSync(index) ? titleOf(await readFile(index)) : undefined;
  return { ...packed, pageTitle };
}

/**
 * Returns the folder to pack. If `folder` looks like a project, asks whether to publish its built site or all of it.
 *
 * @throws CommandFailure if the user chooses neither.
 */
async function chooseFolder(folder: string, { env, confirm }: Terminal): Promise<string> {
  const built = findBuildFolder((file) => existsSync(resolve(currentFolder(env), folder, file)));
  if (built === undefined) return folder;
  const warning = `${folder} looks like the project of a site, with the built site in ${join(folder, built)}`;
  if (await confirm?.(`${warning}. Publish ${join(folder, built)}?`)) return join(folder, built);
  if (await confirm?.(`Publish all of ${folder}, with its sources?`)) return folder;
  throw new CommandFailure(`${warning}: publish that, or all of it with --as-is`, 'looks_like_project');
}

function printLeftOut(leftOut: readonly string[], { err }: Terminal): void {
  if (leftOut.length === 0) return;
  err(
    `left out: ${leftOut.map(escapeControls).join(', ')} (Pinfold never publishes links, private keys, .git, .env, node_modules, tmp and log: rename what pages need, also where they refer to it; --with-dot-files includes other names with a dot)`,
  );
}

async function packStandardInput(name: string | undefined, terminal: Terminal): Promise<Packed> {
  if (name === undefined) throw new UsageError('--name is required: the file name of standard input');
  const read = (): Promise<Packed['bytes']> => {
    if (terminal.input === undefined) throw new UsageError('there is no standard input');
    return terminal.input();
  };
  return isPage(name) ? packPageFile(name, await read(), terminal) : packFile(name, read);
}

async function packWithFiles(
  path: string,
  page: Packed['bytes'],
  withFiles: boolean | undefined,
  terminal: Terminal,
): Promise<Packed> {
  const { err, confirm } = terminal;
  // Loaded on demand: only this case reads references, which needs most of the archive parser.
  const { findPageFiles } = await import('./files-of-page.ts');
  const loadedFiles = await findPageFiles(path, page);
  if (loadedFiles.size === 0) return packPageFile(path, page, terminal);
  const names = [...loadedFiles.keys()].sort().map(escapeControls).join(', ');
  const includesFiles = withFiles ?? (await confirm?.(`The page shows ${names}. Publish them, too?`));
  if (includesFiles === undefined) err(`left out: ${names}; --with-files publishes what the page shows`);
  return packPageFile(path, page, terminal, includesFiles ? loadedFiles : undefined);
}

async function packPageFile(
  path: string,
  page: Packed['bytes'],
  terminal: Terminal,
  loadedFiles?: ReadonlyMap<string, Uint8Array>,
): Promise<Packed> {
  const { leftOut, ...packed } = await packPage(path, page, loadedFiles);
  printLeftOut(leftOut, terminal);
  return { ...packed, pageTitle: titleOf(page) };
}

export type ZipToSend = Pick<PublishRequest, 'filename' | 'bytes'>;

export interface PackedPath extends ZipToSend {
  readonly leftOut: readonly string[];
  /** The folder that was packed; absent for other files. */
  readonly folder?: string;
}

export async function packWholeFolder(folder: string, options: PackFolderOptions): Promise<PackedPath> {
  return { filename: zipNameOf(folder), folder, ...(await explainUnpackable(packFolder(folder, options))) };
}

/** Reports what the packer cannot put in a ZIP, such as too many files, as an archive that is too large. */
export async function explainUnpackable<Packed>(packing: Promise<Packed>): Promise<Packed> {
  try {
    return await packing;
  } catch (error) {
    if (error instanceof RangeError)
      throw new CommandFailure(error.message, { cause: error, code: 'archive_too_large' });
    throw error;
  }
}

export function isPage(filename: string): boolean {
  return /\.html?$/i.test(filename);
}

export async function packPage(
  path: string,
  page: Uint8Array,
  loadedFiles: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<PackedPath> {
  const others = [...loadedFiles].map(([name, bytes]) => ({ path: name, bytes }));
  const packed = await packFiles([{ path: 'index.html', bytes: page }, ...others]);
  return { filename: `${parse(path).name}.zip`, ...packed };
}

/** Reads a ZIP without packing. Checks the file name first, so that a wrong file is not read. */
export async function packFile(
  filename: string,
  read: () => Promise<ZipToSend['bytes']>,
): Promise<ZipToSend> {
  if (/\.zip$/i.test(filename)) return { filename, bytes: await read() };
  throw new UsageError('PATH must be a folder, a .zip or an .html');
}
