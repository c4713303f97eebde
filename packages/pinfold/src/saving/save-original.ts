import { randomUUID } from 'node:crypto';
import { appendFile, close, fsync, openSync, type Stats } from 'node:fs';
import { link, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import type { RoleId } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import type { Result } from '../command-line/command.ts';
import { CommandFailure, explainSystemErrors, UsageError } from '../command-line/failures.ts';
import { formatBytes } from '../command-line/print-list.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { currentFolder } from '../publishing/publications.ts';
import { type CheckedBytes, checkedPieces, type Original } from './original.ts';
import { syncFolder } from './sync-folder.ts';
import { UnfinishedFiles } from './unfinished-files.ts';

export interface SaveTarget {
  /** A path as the user wrote it, or `-` for standard output. */
  readonly file: string;
  /** Whether to replace an existing file. */
  readonly force: boolean;
}

/** Throws if the ZIP could not be saved, before it is requested. */
export async function checkSavable(
  { file, force }: SaveTarget,
  json: boolean,
  { pipe, env }: Terminal,
): Promise<void> {
  if (file === '-') {
    if (json) throw new UsageError('--json cannot share standard output with a ZIP');
    if (pipe === undefined)
      throw new UsageError(
        'a ZIP cannot be shown on a terminal: redirect standard output to a pipe or a file',
      );
    return;
  }
  const path = resolve(currentFolder(env), file);
  const found = await findStats(path);
  if (file.endsWith('/') || file.endsWith(sep) || (found !== undefined && !found.isFile())) {
    throw new CommandFailure(`${file} is not a file: give the path of a file`, 'cannot_write');
  }
  if (found !== undefined && !force) throw fileExistsError(file);
  if (found === undefined && (await findStats(dirname(path))) === undefined)
    throw new CommandFailure(`there is no folder ${dirname(path)}`, 'cannot_write');
}

/** Saves a ZIP and checks its bytes. The file appears complete and flushed to the disk, or not at all. */
export async function saveOriginal(
  original: Original,
  { file, force }: SaveTarget,
  { pipe, env }: Terminal,
): Promise<CheckedBytes> {
  let checked: CheckedBytes | undefined;
  const pieces = checkedPieces(original, (bytes) => {
    checked = bytes;
  });
  if (file === '-')
    await explainSystemErrors(async () => pipe?.(ReadableStream.from(pieces)), 'cannot_write');
  else await writeWhole(pieces, { file: resolve(currentFolder(env), file), force });
  if (checked === undefined) throw new Error('a ZIP was saved incompletely');
  return checked;
}

/** The output of the command; none if the ZIP is written to standard output. */
export function savedResult(
  id: RoleId,
  { file }: SaveTarget,
  { bytes, sha256 }: CheckedBytes,
): Result | undefined {
  if (file === '-') return undefined;
  return { json: { id, file, bytes, sha256 }, text: `${id} was saved in ${file} (${formatBytes(bytes)}).` };
}

async function writeWhole(pieces: AsyncIterable<Uint8Array>, { file, force }: SaveTarget): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const folder = dirname(target);
  // Not derived from the file's name, which may already have the maximum length.
  const temporaryFile = join(folder, `.pinfold-${randomUUID()}.part`);
  // Keeps the mode of the replaced file, so that no one else can read the new one.
  const mode = force ? (await findStats(target))?.mode : undefined;
  const unfinished = new UnfinishedFiles();
  try {
    await writeFlushed(temporaryFile, pieces, {
      ...(mode !== undefined && { mode: mode & 0o777 }),
      unfinished,
    });
    await explainSystemErrors(async () => {
      if (force) await rename(temporaryFile, target);
      else await renameToNew(temporaryFile, target);
      await syncFolder(folder);
    }, 'cannot_write');
    unfinished.finish();
  } catch (error) {
    unfinished.discard();
    throw error;
  }
}

const [appendPiece, flush, closeFile] = [promisify(appendFile), promisify(fsync), promisify(close)];

/**
 * Creates a file, which is removed if the command does not finish, and flushes it to the disk. System errors become
 * failures `cannot_write`; errors of the source are thrown unchanged.
 */
export async function writeFlushed(
  file: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { mode = 0o666, unfinished }: { readonly mode?: number; readonly unfinished: UnfinishedFiles },
): Promise<void> {
  const write = <Result>(task: () => Promise<Result>) => explainSystemErrors(task, 'cannot_write');
  const descriptor = await write(async () => unfinished.make(file, () => openSync(file, 'wx', mode)));
  try {
    for await (const piece of pieces) await write(() => appendPiece(descriptor, piece));
    await write(() => flush(descriptor));
  } finally {
    await write(() => closeFile(descriptor));
  }
}

/** Error codes of file systems without hard links. */
const NO_LINKS_CODES: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Unlike a rename, a link never replaces a file that was created meanwhile. */
async function renameToNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw fileExistsError(to);
    if (!NO_LINKS_CODES.includes(systemCodeOf(error))) throw error;
    if ((await findStats(to)) !== undefined) throw fileExistsError(to);
    await rename(from, to);
    return;
  }
  await rm(from);
}

function findStats(file: string): Promise<Stats | undefined> {
  const found = stat(file).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return explainSystemErrors(() => found, 'cannot_write');
}

function fileExistsError(file: string): CommandFailure {
  return new CommandFailure(`${file} already exists; --force replaces it`, 'cannot_write');
}
