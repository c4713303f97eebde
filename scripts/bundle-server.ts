// Bundles the server that `npm start` runs: to find and read its modules one by one takes half of a start.
// `bundle-server.ts FILE` notes in FILE what it read, when that was changed, and what it made of it.
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
const app = join(root, 'examples', 'reference-app');
const folder = join(app, 'dist', 'bundle');
/** Of other people's packages, only these and what they import are bundled: others may look for files beside them. */
const BUNDLED = /^(express|inversify|proxy-addr|reflect-metadata)(\/|$)/;
/** These, esbuild finds by itself. */
const FOUND = /^(node:|@pinfold\/)/;
/** What is not an ES module asks for Node's modules with it. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";
/** What names a place of the source, and can be told in the bundle. */
const PLACE = /\bimport\.meta\.(url|dirname|filename)\b/g;
/** What would name another place there. */
const OTHER_PLACE =
  /\bimport\.meta\b(?!\.(?:url|dirname|filename)\b)|\bimport\(\s*[^\s'"]|\b__(?:dir|file)name\b/;
const DAY = 24 * 60 * 60 * 1_000;

/** Where a file is, seen from the bundle: so a clone can be moved or copied. */
function fromBundle(path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** They change with the lockfile alone. */
function isThirdParty(path: string): boolean {
  return relative(root, path).split(sep).includes('node_modules');
}

const places: Plugin = {
  name: 'places',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === places || FOUND.test(path)) return undefined;
      if (BUNDLED.test(path) || isThirdParty(from.importer)) return undefined;
      const found = await resolve(path, { ...from, pluginData: places });
      // What is not installed may be optional: whether it is missed shows when it is loaded.
      if (found.errors.length > 0) return { path, external: true };
      return isThirdParty(found.path) ? { path: fromBundle(found.path), external: true } : found;
    });
    onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => {
      if (isThirdParty(path)) return undefined;
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
      return { contents, loader: path.endsWith('ts') ? 'ts' : 'js' };
    });
  },
};

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: [join(app, 'src', 'main.ts')],
  outdir: folder,
  bundle: true,
  // What is loaded at its first use stays a file of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  conditions: ['@pinfold/source'],
  banner: { js: REQUIRE },
  plugins: [places],
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  write: false,
}).catch(() => process.exit(1)); // It has said why.

const made = Object.keys(metafile.outputs);
mkdirSync(folder, { recursive: true });
for (const { path, contents } of outputFiles) {
  const beside = `${path}-${process.pid}`;
  writeFileSync(beside, contents);
  renameSync(beside, path);
}
keepForADay(madeBefore(record));

const modules = Object.keys(metafile.inputs).filter((path) => !isThirdParty(join(root, path)));
const manifests = modules.map((path) => join(...path.split('/').slice(0, 2), 'package.json'));
const others = [...manifests.filter((path) => existsSync(join(root, path))), 'pnpm-lock.yaml'];
const read = new Set([...modules, ...others, 'scripts/bundle-server.ts']);
const sources = [...read].map((path) => [path, statSync(join(root, path)).mtimeMs]);
writeFileSync(record, JSON.stringify({ began: performance.timeOrigin, sources, made }));

function madeBefore(file: string): readonly string[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).made;
  } catch {
    // There is none, or its writing was interrupted.
    return [];
  }
}

/** A server that still runs may load chunks of the bundle that this one replaces. */
function keepForADay(replaced: readonly string[]): void {
  const now = new Date();
  for (const path of replaced) if (existsSync(join(root, path))) utimesSync(join(root, path), now, now);
  const names = new Set(made.map((path) => basename(path)));
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!names.has(name) && now.getTime() - statSync(path).mtimeMs > DAY) rmSync(path, { force: true });
  }
}
