// Bundles the packages of the server that `npm start` runs: to find and read their modules one by one would take half
// of a start. bundled.mjs has Node take them out of the bundle, and leaves all else on its sources.
// `bundle-server.ts FILE` records in FILE what it read and wrote, and which file of the bundle has which module.
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
/**
 * The command, and the modules that a server's script imports from the bundle. It has its own copies of our others, which
 * fit these.
 */
const ENTRIES = [
  'packages/pinfold/src/main.ts',
  'packages/pinfold/src/index.ts',
  'packages/inversify/src/index.ts',
  'packages/core/src/index.ts',
  'inversify',
];
/** The packages to bundle: ours, InversifyJS, which has 250 modules, and Express, which has a hundred. */
const BUNDLED = /^(@pinfold|express|inversify|reflect-metadata)(\/|$)/;
/** The `require` of CommonJS modules. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";
/** Matches expressions for the place of a source file, which can be replaced in the bundle. */
const PLACE = /\bimport\.meta\.(url|dirname|filename)\b/g;
/** Matches expressions that would refer to another place in the bundle. `import(?` is a part of a regular expression. */
const OTHER_PLACE = /\bimport\.meta\b(?!\.(?:url|dirname|filename)\b)|\bimport\(\s*[^\s'"?]/;
const DAY = 24 * 60 * 60 * 1_000;

/** For each package that the bundle imports, a file that imports it: Node resolves its name from there, as usual. */
const importers: Record<string, string> = {};

/** The path of a file relative to the bundle, so that a clone can be moved or copied. */
function fromBundle(path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** Whether it is a file of a dependency, which changes only with the lockfile. */
function isThirdParty(path: string): boolean {
  return relative(root, path).split(sep).includes('node_modules');
}

const places: Plugin = {
  name: 'places',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      const isOurs = kind === 'entry-point' || path.startsWith('node:') || BUNDLED.test(path);
      if (isOurs || isThirdParty(importer)) return undefined;
      importers[path] ??= relative(root, importer);
      return { path, external: true };
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
  // Modules that are loaded on demand remain files of their own.
  splitting: true,
  banner: { js: REQUIRE },
  // A module that is imported only for its side effects stays.
  ignoreAnnotations: true,
  format: 'esm',
  platform: 'node',
  conditions: ['@pinfold/source'],
  plugins: [places],
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  write: false,
}).catch(() => process.exit(1)); // esbuild has printed the reason.

mkdirSync(folder, { recursive: true });
for (const { path, contents } of outputFiles)
  if (!existsSync(path) || !readFileSync(path).equals(contents)) replace(path, contents);

const inputs = Object.keys(metafile.inputs);
const own = inputs.filter((path) => !isThirdParty(join(root, path)));
const manifests = own.map((path) => join(...path.split('/').slice(0, 2), 'package.json'));
const made = Object.keys(metafile.outputs);
const entries = made.map((path) => [metafile.outputs[path]?.entryPoint ?? '', path]);
const modules = Object.fromEntries(entries.filter(([module]) => module !== ''));
const read = [...own, ...manifests, ...Object.keys(modules), 'scripts/bundle-server.ts', 'pnpm-lock.yaml'];
const note = {
  began: performance.timeOrigin,
  sources: [...new Set(read)].map(stamped),
  made: made.map(stamped),
  modules,
  importers,
};
const earlier = madeEarlier(record);
replace(record, JSON.stringify(note));
removeAfterADay(earlier);

/** No one reads half of a file, even after a power failure. */
function replace(path: string, contents: string | Uint8Array): void {
  const beside = `${path}-${process.pid}`;
  writeFileSync(beside, contents, { flush: true });
  renameSync(beside, path);
}

function stamped(path: string): readonly [path: string, changed: number, size: number] {
  const { mtimeMs, size } = statSync(join(root, path));
  return [path, mtimeMs, size];
}

/** The files of the bundle that this one replaces; none if they are unknown. */
function madeEarlier(file: string): readonly string[] | undefined {
  try {
    const { made: earlier } = JSON.parse(readFileSync(file, 'utf8'));
    return earlier.map(([path]: readonly [string]) => basename(path));
  } catch {
    return undefined;
  }
}

/** A server that still runs may load files of the bundle that this one replaces. */
function removeAfterADay(replaced: readonly string[] | undefined): void {
  const now = new Date();
  const names = new Set(made.map((path) => basename(path)));
  for (const name of readdirSync(folder).filter((file) => !names.has(file))) {
    const path = join(folder, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined) continue;
    if (replaced?.includes(name) ?? true) utimesSync(path, now, now);
    else if (now.getTime() - changed > DAY) rmSync(path, { force: true, recursive: true });
  }
}
