import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { link, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { OpenArchiveOutcome, RoleId } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { systemCodeOf } from '@pinfold/core/internal';
import type { Result } from '../command-line/command.ts';
import { CommandFailure, explainSystemErrors, UsageError } from '../command-line/failures.ts';
import { formatBytes } from '../command-line/print-list.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { currentFolder } from '../publishing/publications.ts';
import { expectAccepted } from '../publishing/refusal-text.ts';
import { syncFolder, UnfinishedFiles, writeFlushed } from './durable-files.ts';

/** The ZIP of a publication as it was uploaded, for reading. */
export interface Original {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** In hexadecimal digits; undefined if the answer had no ETag. */
  readonly sha256: string | undefined;
}

/** Reads the archive that a use case opened. */
export function toOriginal(outcome: OpenArchiveOutcome): Original {
  const archive = expectAccepted(outcome);
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    for (let from = 0; from < archive.size; from += MAX_READ) {
      yield expectAccepted(await archive.read(from, Math.min(MAX_READ, archive.size - from))).bytes;
    }
  }
  return { pieces: pieces(), sha256: archive.publication.sha256 };
}

interface CheckedBytes {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Yields the bytes of a ZIP, and checks their SHA-256 at the end.
 *
 * @throws CommandFailure if they differ from the published ones.
 */
export async function* checkedPieces(
  { pieces, sha256: expected }: Original,
  onChecked: (checked: CheckedBytes) => void,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
    yield piece;
  }
  const sha256 = hash.digest('hex');
  if (expected !== undefined && sha256 !== expected) {
    throw new CommandFailure(
      `the ZIP differs from the published one: its SHA-256 is ${sha256}, not ${expected}`,
      'unreadable',
    );
  }
  onChecked({ bytes, sha256 });
}

interface SaveTarget {
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
