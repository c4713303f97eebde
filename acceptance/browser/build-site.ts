import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { zipSync } from 'fflate';
import { build } from 'vite';

const SOURCE = join(import.meta.dirname, 'site');

const sites = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** The site in `site/`, built with Vite as its authors would, and zipped: once for all tests of a viewer mode. */
export function builtSite(mode: 'origin' | 'path'): Promise<Uint8Array<ArrayBuffer>> {
  const site = sites.get(mode) ?? buildSite(mode === 'origin' ? '/' : './');
  sites.set(mode, site);
  return site;
}

async function buildSite(base: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-site-'));
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
