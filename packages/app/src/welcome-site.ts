import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Zippable, zipSync } from 'fflate';

/** Beside `src` and `dist` alike. */
const FOLDER = join(import.meta.dirname, '..', 'welcome');

/** One instant for every file, so that the archive is the same at every start and on every node. */
const MODIFIED = new Date(2026, 0, 1);

/** Packs the welcome site. */
export async function packWelcomeSite(): Promise<Uint8Array<ArrayBuffer>> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true });
  const files: Zippable = {};
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(FOLDER.length + 1).replaceAll('\\', '/');
    files[path] = new Uint8Array(await readFile(file));
  }
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
  return new Uint8Array(zipSync(sorted, { level: 9, mtime: MODIFIED }));
}
