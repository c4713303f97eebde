// Bundles the packages of the server that `npm start` runs: to find and read their modules one by one would take half
// of a start. bundled.mjs has Node take them out of the bundle, and leaves all else on its sources.
// `bundle-server.ts FILE` notes in FILE what it read and made, and which file of the bundle has which module.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';

const [, , record] = process.argv;
if (record === undefined) throw new Error('usage: bundle-server.ts FILE');
const root = join(import.meta.dirname, '..');
const folder = join(root, 'examples', 'reference-app', 'dist', 'bundle');
/** What a server's script imports, so that it has the bundle's own copies. */
const ENTRIES = [
  'packages/pinfold/src/index.ts',
  'packages/inversify/src/index.ts',
  'packages/core/src/index.ts',
  'inversify',
];
/** Of other people's packages, this one alone is bundled, for its 250 modules: others may look for files beside them. */
const BUNDLED = /^(inversify|reflect-metadata)(\/|$)/;
/** These, esbuild finds by itself. */
const FOUND = /^(node:|@pinfold\/)/;
/** What names a place of the source, and can be told in the bundle. */
const PLACE = /\bimport\.meta\.(url|dirname|filename)\b/g;
/** What would name another place there. */
const OTHER_PLACE = /\bimport\.meta\b(?!\.(?:url|dirname|filename)\b)|\bimport\(\s*[^\s'"]/;
const DAY = 24 * 60 * 60 * 1_000;

/** The files of other people's packages that the bundle imports. */
const imported = new Set<string>();

/** Where a file is, seen from the bundle: so a clone can be moved or copied. */
function fromBundle(path: string): string {
  return relative(folder, path).split(sep).join('/');
}

function isThirdParty(path: string): boolean {
  return relative(root, path).split(sep).includes('node_modules');
}

const places: Plugin = {
  name: 'places',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, pluginData, ...from }) => {
      if (kind === 'entry-point' || pluginData === places || FOUND.test(path)) return undefined;
      if (BUNDLED.test(path) || isThirdParty(from.importer)) return undefined;
      const found = await resolve(path, { ...from, kind, pluginData: places });
      // What is not installed may be optional: whether it is missed shows when it is loaded.
      if (found.errors.length > 0) return { path, external: true };
      if (!isThirdParty(found.path)) return found;
      imported.add(relative(root, found.path));
      return { path: fromBundle(found.path), external: true };
    });
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const other = OTHER_PLACE.exec(text)?.[0];
      if (other !== undefined) return { errors: [{ text: `${other} in ${path} would name another place` }] };
      if (!text.includes('import.meta.')) return undefined;
      const contents = text.replace(PLACE, (_, property) => {
        const place = fromBundle(property === 'dirname' ? dirname(path) : path);
        const url = `new URL(${JSON.stringify(place)}, import.meta.url)`;
        return property === 'url'
          ? `${url}.href`
          : `process.getBuiltinModule('node:url').fileURLToPath(${url})`;
      });
      return { contents, loader: 'ts' };
    });
  },
};

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: ENTRIES,
  outdir: folder,
  entryNames: '[name]-[hash]',
  bundle: true,
  // What is loaded at its first use stays a file of its own.
  splitting: true,
  // A module that is imported only for what it does stays.
  ignoreAnnotations: true,
  format: 'esm',
  platform: 'node',
  conditions: ['@pinfold/source'],
  plugins: [places],
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  write: false,
}).catch(() => process.exit(1)); // It has said why.

mkdirSync(folder, { recursive: true });
for (const { path, contents } of outputFiles)
  if (statSync(path, { throwIfNoEntry: false })?.size !== contents.length) replace(path, contents);

const inputs = Object.keys(metafile.inputs);
const own = inputs.filter((path) => !isThirdParty(join(root, path)));
const manifests = own.map((path) => join(...path.split('/').slice(0, 2), 'package.json'));
const made = Object.keys(metafile.outputs);
const entries = made.map((path) => [metafile.outputs[path]?.entryPoint ?? '', path]);
const before = replacedFiles(record);
const modules = Object.fromEntries(entries.filter(([module]) => module !== ''));
const read = [...own, ...manifests, ...imported, ...Object.keys(modules)];
const sources = new Set([...read, 'scripts/bundle-server.ts', 'pnpm-lock.yaml']);
const note = {
  began: performance.timeOrigin,
  sources: [...sources].map(stamped),
  made: made.map(stamped),
  modules,
};
replace(record, JSON.stringify(note));
keepForADay(before);

/** Nobody reads half of a file. */
function replace(path: string, contents: string | Uint8Array): void {
  const beside = `${path}-${process.pid}`;
  writeFileSync(beside, contents);
  renameSync(beside, path);
}

function stamped(path: string): readonly [path: string, changed: number, size: number] {
  const { mtimeMs, size } = statSync(join(root, path));
  return [path, mtimeMs, size];
}

function replacedFiles(file: string): readonly string[] {
  try {
    const { made: earlier } = JSON.parse(readFileSync(file, 'utf8'));
    return earlier.map(([path]: readonly [string]) => path).filter((path: string) => !made.includes(path));
  } catch {
    // There is none, or it is of an earlier form.
    return [];
  }
}

/** A server that still runs may load files of the bundle that this one replaces. */
function keepForADay(replaced: readonly string[]): void {
  const now = new Date();
  for (const path of replaced) if (existsSync(join(root, path))) utimesSync(join(root, path), now, now);
  const names = new Set(made.map((path) => basename(path)));
  for (const name of readdirSync(folder).filter((file) => !names.has(file))) {
    const path = join(folder, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now.getTime();
    if (now.getTime() - changed > DAY) rmSync(path, { force: true, recursive: true });
  }
}
