// Without it packages were published whose exports named files that were not in them, whose types did not resolve,
// or which still led to the sources. `node scripts/check-packed.ts [FOLDER with tarballs]`
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packed } from './pack.ts';

const [given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), 'pinfold-packed-'));
const checks = (tarball: string): readonly (readonly [string, ...string[]])[] => [
  ['publint', 'run', '--strict', tarball],
  ['attw', '--profile', 'esm-only', '--format', 'ascii', tarball],
];

for (const tarball of packed(folder)) {
  for (const [tool, ...args] of checks(tarball)) {
    const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8' });
    if (status !== 0) {
      console.error(`${tool}: ${tarball}\n${stdout}${stderr}`);
      process.exitCode = 1;
    }
  }
  const manifest = spawnSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }).stdout;
  const { name, exports, ...published } = JSON.parse(manifest) as Readonly<Record<string, unknown>>;
  if (JSON.stringify(exports).includes('@pinfold/source')) {
    console.error(`${name}: the published exports still lead to the sources`);
    process.exitCode = 1;
  }
  const members = ['description', 'keywords', 'license', 'engines'].filter((member) => !published[member]);
  const files = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).stdout.split('\n');
  // Editors need these to lead to the sources rather than to declarations.
  const entries = [...JSON.stringify(exports).matchAll(/"\.\/dist\/([^"]+)\.d\.ts"/g)].map(
    ([, entry]) => entry,
  );
  const sources = entries.flatMap((entry) => [`dist/${entry}.d.ts.map`, `src/${entry}.ts`]);
  const missing = ['README.md', 'CHANGELOG.md', 'LICENSE', ...sources].filter(
    (file) => !files.includes(`package/${file}`),
  );
  const readme = spawnSync('tar', ['-xzOf', tarball, 'package/README.md'], { encoding: 'utf8' }).stdout;
  const dead = readme.match(/\]\(\.\.?\/[^)]*\)/g) ?? [];
  for (const lack of [...members, ...missing, ...dead]) {
    console.error(`${name}: ${lack} is missing, or leads nowhere`);
    process.exitCode = 1;
  }
}
if (!given) {
  rmSync(folder, { recursive: true });
}
