// Bundles what browsers load into dist/assets: browsers run no TypeScript, and a strict policy allows no import map.
// Names contain a hash of the content, so that browsers may cache files for ever; manifest.json lists the names.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { paletteOf } from '@pinfold/http/internal';
import { build, type Plugin } from 'esbuild';

const folder = join(import.meta.dirname, 'dist', 'assets');
const entries = {
  style: 'styles/management.css',
  script: 'browser/main.ts',
  publish: 'browser/publish/publish.ts',
  worker: 'browser/publish/zip-worker.ts',
  icon: 'styles/icon.svg',
} as const;

/** Rules that pages of every kind use are in one sheet, and not repeated in the others. */
const paletteSheet: Plugin = {
  name: 'palette',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^palette$/ }, ({ path }) => ({ path, namespace: 'palette' }));
    onLoad({ filter: /^palette$/, namespace: 'palette' }, () => ({
      contents: paletteOf(),
      loader: 'css',
    }));
  },
};

const { outputFiles, metafile } = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: Object.values(entries),
  bundle: true,
  format: 'esm',
  target: ['es2022', 'chrome123', 'firefox125', 'safari17.5'],
  conditions: ['@pinfold/source'],
  loader: { '.svg': 'copy' },
  plugins: [paletteSheet],
  entryNames: '[name]-[hash]',
  outdir: folder,
  minify: true,
  metafile: true,
  write: false,
});

const names = new Map(
  Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, basename(path)] as const),
);
const manifest = JSON.stringify({
  entries: Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, names.get(source)])),
  files: outputFiles.map(({ path }) => basename(path)).sort(),
});

const hasWholeBody = outputFiles.every(
  ({ path, contents }) => existsSync(path) && readFileSync(path).equals(contents),
);
if (manifest !== written() || !hasWholeBody) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const beside = join(folder, `.manifest-${process.pid}`);
  writeFileSync(beside, manifest);
  renameSync(beside, join(folder, 'manifest.json'));
}

// `build.ts FILE` writes to FILE what it read and created, so that its caller knows whether to bundle again: paths in the
// clone, when each was changed, and its size.
const [, , record] = process.argv;
if (record !== undefined) {
  const root = join(import.meta.dirname, '..', '..');
  const stamped = (path: string): readonly [path: string, changed: number, size: number] => {
    const { mtimeMs, size } = statSync(join(import.meta.dirname, path));
    return [relative(root, join(import.meta.dirname, path)), mtimeMs, size];
  };
  const bundled = Object.keys(metafile.inputs).filter((path) => !path.startsWith('palette:'));
  const read = [...bundled, 'build.ts', '../http/src/palette.ts', '../../pnpm-lock.yaml'];
  const made = [...Object.keys(metafile.outputs), 'dist/assets/manifest.json'];
  const note = {
    began: performance.timeOrigin,
    sources: read.map(stamped),
    made: made.map(stamped),
  };
  writeFileSync(record, JSON.stringify(note));
}

function written(): string | undefined {
  try {
    return readFileSync(join(folder, 'manifest.json'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
