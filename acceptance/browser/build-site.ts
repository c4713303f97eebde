import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { build } from 'vite';

const SOURCE = join(import.meta.dirname, 'site');

/** The report of the site if all its parts work. */
export const EVERYTHING = {
  module: 'runs',
  chunk: 'high at noon',
  fetch: 'Onomichi',
  image: '64',
  font: '1',
  style: 'deep-blue',
  done: 'yes',
} as const;

/** The site's report about its parts, once it has tried them all. */
export async function reportOf(page: Page): Promise<Readonly<Record<string, string>>> {
  await page.locator('[data-name=done]').waitFor();
  const lines = await page.locator('#report li').all();
  const pairs = lines.map(async (line) => [await line.getAttribute('data-name'), await line.textContent()]);
  return Object.fromEntries(await Promise.all(pairs));
}

/** Types a password like a person who uses only the keyboard: the field must already have the focus. */
export async function enterPassword(page: Page, password: string): Promise<void> {
  await page.locator('input[type=password]:focus').waitFor();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
}

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
  return zipSync(Object.fromEntries(contents), { mtime: '2026-11-20' });
}
