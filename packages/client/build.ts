// Bundles the packer into one file with fflate and the core's rules for names: the package has no dependency.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const fflate = fileURLToPath(new URL('..', import.meta.resolve('fflate')));
const license = readFileSync(join(fflate, 'LICENSE'), 'utf8').trim();

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/zip.ts'],
  outfile: 'dist/zip.js',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['@pinfold/source'],
  // With this platform esbuild takes the build of fflate for browsers, which runs everywhere.
  platform: 'browser',
  banner: { js: `/*! This file contains fflate.\n${license}\n*/` },
});
