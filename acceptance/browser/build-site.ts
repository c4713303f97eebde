import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { zipSync } from 'fflate';
import { build } from 'vite';

const SOURCE = join(import.meta.dirname, 'site');

/**
 * Builds the site in `site/` with Vite, as its authors would, and zips what came out.
 *
 * @param base `/` for a site at the root of its origin, `./` for one under a path.
 */
export async function buildSite(base: '/' | './', folder: string): Promise<Uint8Array<ArrayBuffer>> {
  await build({
    root: SOURCE,
    base,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, target: 'esnext', modulePreload: { polyfill: false } },
  });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    files.map(async (file) => [relative(folder, file), await readFile(file)] as const),
  );
  await rm(folder, { recursive: true });
  return zipSync(Object.fromEntries(contents));
}
