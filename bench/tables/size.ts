import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type Row, report } from '../lib/report.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What a browser or a server would load of the core, and how much an install of the reference app brings. */
export async function run(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'packages/core/src/index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const kilobytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1_000;
  const listed = execFileSync(
    'pnpm',
    ['--filter', '@pinfold/cli', 'list', '--prod', '--depth', 'Infinity', '--parseable'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  const packages = new Set(listed.split('\n').filter((line) => line.includes('node_modules'))).size;
  const rows: Row[] = [
    { what: '@pinfold/core, minified and gzipped', figure: kilobytes, unit: 'kB', goal: { atMost: 12 } },
    { what: 'third-party packages of @pinfold/cli', figure: packages, unit: 'packages' },
  ];
  await report('size', rows);
}
