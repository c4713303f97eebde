// Without it the core grew unseen: it is loaded by everything else, so its weight is everybody's.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const limit = 12_288;
const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, '..', 'packages', 'core', 'src', 'index.ts')],
  bundle: true,
  format: 'esm',
  minify: true,
  target: 'es2024',
  write: false,
});
const [bundle] = outputFiles;
const size = bundle ? gzipSync(bundle.contents, { level: 9 }).length : Number.NaN;
console.log(`@pinfold/core: ${size} bytes minified and gzipped, ${limit} allowed`);
process.exitCode = size <= limit ? 0 : 1;
