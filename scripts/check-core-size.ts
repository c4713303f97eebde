// Without it the core grew unseen: it is loaded by everything else, so its weight is everybody's.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** The most bytes that it may have. */
export const CORE_LIMIT = 12_288;

/** The bytes of the core, minified and gzipped. */
export async function coreSize(): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '..', 'packages', 'core', 'src', 'index.ts')],
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2024',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

if (import.meta.main) {
  const size = await coreSize();
  console.log(`@pinfold/core: ${size} bytes minified and gzipped, ${CORE_LIMIT} allowed`);
  process.exitCode = size <= CORE_LIMIT ? 0 : 1;
}
