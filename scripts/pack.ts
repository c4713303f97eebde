// Without it each check would pack in its own way. `npm run -s pack:all -- FOLDER` builds, and packs
// what is published into FOLDER.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The paths of the tarballs, as pnpm would publish them; what is built must be up to date. */
export function pack(folder: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync(
    'pnpm',
    ['--recursive', '--filter=@pinfold/*', '--filter=pinfold', 'pack', '--pack-destination', resolve(folder)],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) {
    throw new Error(`pnpm pack failed: ${stdout}${stderr}`);
  }
  return tarballs(folder);
}

/** The tarballs that lie in the folder already, or else are packed into it. */
export function packed(folder: string): readonly string[] {
  const existing = tarballs(folder);
  return existing.length > 0 ? existing : pack(folder);
}

/** The name of the package in a tarball. */
export function packageIn(tarball: string): string {
  return basename(tarball)
    .replace(/-\d.*$/, '')
    .replace(/^pinfold-/, '@pinfold/');
}

function tarballs(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return names.sort().map((name) => join(folder, name));
}

const [folder] = process.argv.slice(2);
if (import.meta.main && folder) {
  const { status } = spawnSync('pnpm', ['run', 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    throw new Error('what is to be packed could not be built');
  }
  console.log(pack(folder).join('\n'));
}
