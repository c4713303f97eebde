import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const DAY = 24 * 60 * 60 * 1_000;
const folder = join(import.meta.dirname, '../../../node_modules/.cache/pinfold-processes');

/** Loads a native library from its own folder. */
const NATIVE = /^better-sqlite3$/;

const PLACE = /\bimport\.meta\.(url|dirname|filename)\b/g;

/** Gives each module in a bundle the URL of its source. */
const places: Plugin = {
  name: 'places',
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: NATIVE }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === NATIVE) return undefined;
      const found = await resolve(path, { kind, resolveDir, pluginData: NATIVE });
      return { path: found.path, external: true };
    });
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path };
      const text = await readFile(path, 'utf8');
      const known = (_: string, name: keyof typeof place): string => JSON.stringify(place[name]);
      return { contents: text.replace(PLACE, known), loader: 'ts' };
    });
  },
};

/** The `require` of CommonJS modules. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a script of these sources with all its imports: a process that finds and reads its six hundred
 * modules one by one takes seven times as long to start. Its threads run from their sources.
 */
export function bundled(script: string): Promise<string> {
  const made = bundles.get(script) ?? bundle(script);
  bundles.set(script, made);
  return made;
}

async function bundle(script: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [script],
    outdir: folder,
    bundle: true,
    // A process reads and compiles only what it loads: half of a bundle is the client of S3.
    splitting: true,
    minifyWhitespace: true,
    entryNames: `${basename(dirname(script))}-[name]`,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    conditions: ['@pinfold/source'],
    plugins: [places],
    banner: { js: REQUIRE },
    logLevel: 'error',
    write: false,
  });
  await mkdir(folder, { recursive: true });
  for (const { path, contents } of outputFiles) {
    const beside = `${path}-${randomUUID()}`;
    await writeFile(beside, contents);
    await rename(beside, path);
  }
  await removeOld();
  return join(folder, `${basename(dirname(script))}-${basename(script, '.ts')}.mjs`);
}

/** Removes what no run of today has written: the parts of earlier sources have other names. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DAY) await rm(file, { force: true });
  }
}
