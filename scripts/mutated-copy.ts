/** The part of the workspace that mutation testing works on: a copy, since the code is changed in place. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** What the core's tests need of the workspace: packages with their links to one another. */
export const PACKAGES: readonly string[] = [
  'packages/core',
  'packages/memory',
  'packages/platform-node',
  'test-contracts',
  'test-contracts/proof',
];

/** The core's own tests, and those of its use cases over ports in memory. */
export const SPECS: readonly string[] = [
  'packages/core/test/**/*.spec.ts',
  'test-contracts/proof/use-cases/**/*.spec.ts',
];

/** Makes the copy; only its mocha is another one, which the mutation tool knows. */
export async function copyTo(folder: string, mocha: string): Promise<void> {
  const ours = ['ls-files', '--cached', '--others', '--exclude-standard', '.mocharc.json', 'package.json'];
  const listed = execFileSync('git', [...ours, ...PACKAGES], { cwd: root, encoding: 'utf8' });
  for (const file of listed.trim().split('\n')) {
    if (existsSync(join(root, file))) await cp(join(root, file), join(folder, file));
  }
  for (const path of PACKAGES) {
    const links = join(path, 'node_modules');
    if (!existsSync(join(root, links))) continue;
    await cp(join(root, links), join(folder, links), { recursive: true, verbatimSymlinks: true });
  }
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(root, 'node_modules', '.pnpm'), join(folder, 'node_modules', '.pnpm'));
  await symlink(mocha, join(folder, 'node_modules', 'mocha'));
}
