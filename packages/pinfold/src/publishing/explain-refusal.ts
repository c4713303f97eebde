import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DirectoryEntry } from '@pinfold/archive-zip/listing';
import type { ArchiveProblem, Refusal } from '@pinfold/core';
import { forbiddenSegment, indexHint } from '@pinfold/core/internal';
import { archiveError, type WireError } from '@pinfold/http-express/internal/problems';
import { CommandFailure } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import type { ZipToSend } from './pack-path.ts';

const MAX_SHOWN = 3;

interface RefusedArchive extends Pick<ZipToSend, 'bytes'> {
  /** The folder that was packed. */
  readonly folder?: string | undefined;
}

/**
 * Adds to the refusal of an archive what its server cannot know; returns other errors unchanged.
 *
 * @param argument the folder as the user wrote it, for the paths in the advice.
 */
export async function explainRefusal(
  error: unknown,
  argument: string,
  { bytes, folder }: RefusedArchive,
): Promise<unknown> {
  if (!(error instanceof CommandFailure) || error.json === undefined) return error;
  const [first, ...others] = (error.json.errors ?? []) as readonly WireError[];
  if (error.json.code === 'archive_too_large' && first?.limit !== undefined) {
    const { message, cause } = error;
    const problem = archiveError({ rule: 'archive_too_large', limit: first.limit, actual: bytes.length });
    const json = { ...error.json, detail: problem.detail, errors: [problem] };
    return new CommandFailure(`${message}\n${await describeSize(bytes)}`, { cause, json });
  }
  if (folder === undefined || first?.rule !== 'missing_index' || others.length > 0) return error;
  const problem = await describeMissingIndex(folder, argument);
  const wireError = archiveError(problem);
  const json = { ...error.json, detail: wireError.detail, errors: [wireError] };
  const cause: Refusal = { kind: 'refused', code: 'invalid_archive', problems: [problem] };
  return new CommandFailure(escapeControls(wireError.detail), { cause, json });
}

/** Describes the size and the largest files of a ZIP: the server stops reading it at the limit. */
async function describeSize(bytes: Uint8Array): Promise<string> {
  const largest = await findLargest(bytes);
  const heading = largest.length === 0 ? '' : ' The largest files in it, as packed:';
  return [
    `  It has ${bytes.length} bytes.${heading}`,
    ...largest.map(({ name, compressedSize }) => `    ${escapeControls(name)}: ${compressedSize} bytes`),
  ].join('\n');
}

async function findLargest(
  bytes: Uint8Array,
): Promise<readonly Pick<DirectoryEntry, 'name' | 'compressedSize'>[]> {
  // Loaded on demand: nothing else in the command reads a ZIP.
  const { readListing } = await import('@pinfold/archive-zip/listing');
  const readAt = (position: number, length: number) => bytes.subarray(position, position + length);
  const { entries } = await readListing({ size: bytes.length, readAt });
  return entries
    .filter(({ compressedSize }) => compressedSize > bytes.length / 100)
    .sort((one, other) => other.compressedSize - one.compressedSize)
    .slice(0, MAX_SHOWN);
}

/** Considers the whole folder, because packing leaves out folders such as `.vitepress`, which may have the built site. */
async function describeMissingIndex(folder: string, argument: string): Promise<ArchiveProblem> {
  const hint = indexHint(await listPaths(folder));
  if (hint === undefined || hint.kind === 'empty') return { rule: 'missing_index', ...(hint && { hint }) };
  const { kind, ...paths } = hint;
  const hintPaths = Object.entries(paths).map(([name, path]) => [name, join(argument, path)]);
  return { rule: 'missing_index', hint: { kind, ...Object.fromEntries(hintPaths) } };
}

/** Lists all paths below a folder, except in folders that a site must not contain. */
async function listPaths(folder: string, prefix = ''): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (forbiddenSegment(entry.name) !== undefined) continue;
    if (entry.isDirectory()) paths.push(`${path}/`, ...(await listPaths(folder, `${path}/`)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}
