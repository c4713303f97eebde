// Without it the core could grow unnoticed, and everything else loads the core.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const packages = join(import.meta.dirname, '..', 'packages');
const CORE = '@pinfold/core';
/** The scripts of the management screen, the only part of the product that browsers load. */
const SCREEN = ['main.ts', 'publish/publish.ts', 'publish/zip-worker.ts'];

/** The maximum size of an entry point of the core, in bytes. */
export const CORE_LIMIT = 24_576;

/** The maximum size of the core that a browser loads, in bytes. */
const BROWSER_LIMIT = 12_288;

/** The bytes of an entry point of the core, minified and gzipped. */
export function coreSize(entry: string = 'index'): Promise<number> {
  return size([join(packages, 'core/src', `${entry}.ts`)]);
}

/** The size that the core adds to the scripts of the screen. */
async function browserSize(): Promise<number> {
  const scripts = SCREEN.map((file) => join(packages, 'management/browser', file));
  return (await size(scripts)) - (await size(scripts, [CORE, `${CORE}/*`]));
}

async function size(entryPoints: string[], external: string[] = []): Promise<number> {
  const { outputFiles } = await build({
    entryPoints,
    bundle: true,
    conditions: ['@pinfold/source'],
    external,
    format: 'esm',
    minify: true,
    outdir: packages,
    target: 'es2024',
    write: false,
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

if (import.meta.main) {
  const { exports } = JSON.parse(readFileSync(join(packages, 'core/package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const names = Object.keys(exports).filter((name) => name !== './package.json');
  const sizes = [{ what: `${CORE} in a browser`, bytes: await browserSize(), limit: BROWSER_LIMIT }];
  for (const name of names) {
    const entry = name === '.' ? 'index' : name.slice(2);
    sizes.push({ what: `${CORE} ${name}`, bytes: await coreSize(entry), limit: CORE_LIMIT });
  }
  for (const { what, bytes, limit } of sizes) {
    console.log(`${what}: ${bytes} bytes minified and gzipped, ${limit} allowed`);
  }
  process.exitCode = sizes.every(({ bytes, limit }) => bytes <= limit) ? 0 : 1;
}
