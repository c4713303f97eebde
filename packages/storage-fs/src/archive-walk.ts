import { join } from 'node:path';
import type { ArchiveId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { FOLDER_NAME, SPAN_NAME } from './archive-folders.ts';
import { type Files, unlessRefused } from './files.ts';

/** How many directory entries the system returns at once. */
const BATCH = 1_024;

export interface WalkRequest {
  readonly root: string;
  readonly after: ArchiveId | undefined;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/** Lists ids of stored archives in ascending order. Ignores other files, and folders that are removed meanwhile. */
export async function walkArchives(files: Files, request: WalkRequest): Promise<ArchiveId[]> {
  const { root, after = '', limit, signal } = request;
  const found: ArchiveId[] = [];
  for (const span of await foldersIn(files, root, SPAN_NAME)) {
    if (span < after.slice(0, span.length)) continue;
    for (const folder of await foldersIn(files, join(root, span), FOLDER_NAME)) {
      const prefix = span + folder;
      if (prefix < after.slice(0, prefix.length)) continue;
      signal?.throwIfAborted();
      const wanted = limit - found.length;
      found.push(...(await firstIn(files, join(root, span, folder), prefix, after, wanted)));
      if (found.length >= limit) return found;
    }
  }
  return found;
}

async function foldersIn(files: Files, folder: string, name: RegExp): Promise<string[]> {
  const entries = (await unlessRefused(['ENOENT'], files.readdir(folder, { withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => entry.isDirectory() && name.test(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/** The first `wanted` ids of one folder. Holds about twice as many in memory, however many the folder has. */
async function firstIn(
  files: Files,
  folder: string,
  prefix: string,
  after: string,
  wanted: number,
): Promise<ArchiveId[]> {
  const found: ArchiveId[] = [];
  const entries = await unlessRefused(['ENOENT'], files.opendir(folder, { bufferSize: BATCH }));
  if (entries === undefined) return found;
  for await (const entry of entries) {
    const id = entry.isFile() ? parseArchiveId(entry.name) : undefined;
    if (id === undefined || id <= after || !id.startsWith(prefix)) continue;
    found.push(id);
    if (found.length >= 2 * wanted + BATCH) found.sort().splice(wanted);
  }
  return found.sort().slice(0, wanted);
}
