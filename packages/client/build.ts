// Bundles the packer into one file with the core's rules for names: the package has no dependency.
import { build } from 'esbuild';

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/zip.ts'],
  outfile: 'dist/zip.js',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['@pinfold/source'],
});
