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
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');
const app = join(root, 'examples', 'reference-app');
const folder = join(app, 'dist', 'bundle');
/** Of what is installed, only these and what they import are bundled, 320 modules: others may look for files beside them. */
const BUNDLED = /^(express|inversify|proxy-addr|reflect-metadata)(\/|$)/;
/** These, esbuild finds by itself. */
const FOUND = /^(node:|@pinfold\/)/;
/** What is not an ES module asks for Node's modules with it. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";
const WEEK = 7 * 24 * 60 * 60 * 1_000;

/** Where a file is, seen from the bundle: so a clone can be moved or copied. */
function fromBundle(path: string): string {
  return relative(folder, path).split(sep).join('/');
}

function isInstalled(path: string): boolean {
  return relative(root, path).split(sep).includes('node_modules');
}

const places: Plugin = {
  name: 'places',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === places || FOUND.test(path)) return undefined;
      if (BUNDLED.test(path) || isInstalled(from.importer)) return undefined;
      const found = await resolve(path, { ...from, pluginData: places });
      // What is not installed may be optional: whether it is missed shows when it is loaded.
      if (found.errors.length > 0) return { path, external: true };
      return isInstalled(found.path) ? { path: fromBundle(found.path), external: true } : found;
    });
    onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => {
      if (isInstalled(path)) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const contents = text.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, property) => {
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
});

mkdirSync(folder, { recursive: true });
for (const { path, contents } of outputFiles) {
  const beside = `${path}-${process.pid}`;
  writeFileSync(beside, contents);
  renameSync(beside, path);
}
// A server that still runs may load the chunks of an earlier bundle.
const made = new Set(outputFiles.map(({ path }) => basename(path)));
for (const name of readdirSync(folder)) {
  const path = join(folder, name);
  if (!made.has(name) && Date.now() - statSync(path).mtimeMs > WEEK) rmSync(path);
}

const [, , record] = process.argv;
if (record !== undefined) {
  const modules = Object.keys(metafile.inputs).filter((path) => !isInstalled(join(root, path)));
  const manifests = modules.map((path) => join(...path.split('/').slice(0, 2), 'package.json'));
  const others = [...manifests.filter((path) => existsSync(join(root, path))), 'pnpm-lock.yaml'];
  const read = new Set([...modules, ...others, 'scripts/bundle-server.ts']);
  const sources = [...read].map((path) => [path, statSync(join(root, path)).mtimeMs]);
  const bundle = { began: performance.timeOrigin, sources, made: Object.keys(metafile.outputs) };
  writeFileSync(record, JSON.stringify(bundle));
}
