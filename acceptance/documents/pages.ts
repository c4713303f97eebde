import { globSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the workspace. */
export const root: string = join(import.meta.dirname, '..', '..');

const BUILT = /(?:^|[\\/])(?:node_modules|dist|\.git)(?:[\\/]|$)/;

/** Every document for readers, by its path. */
export function documents(): readonly string[] {
  return found(['*.md', '{deploy,docs,packages,examples,test-contracts}/**/*.md']).filter(
    (file) => !file.endsWith('CHANGELOG.md'),
  );
}

/** Every source, test and script, by its path. */
export function sources(): readonly string[] {
  return found(['{packages,examples,acceptance,test-contracts,scripts,bench}/**/*.{ts,mjs,yaml}']);
}

function found(patterns: readonly string[]): readonly string[] {
  const files = globSync([...patterns], { cwd: root, exclude: (name) => BUILT.test(name) });
  return files.sort().map((file) => join(root, file));
}
