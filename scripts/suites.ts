// Without it one process ran every suite, one core of the machine after the other idle, and said nothing until its end.
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Specs that one process runs, one after the other. */
export interface Suite {
  readonly name: string;
  readonly files: readonly string[];
}

const root = join(import.meta.dirname, '..');
const SPECS = [
  'scripts',
  'packages/*/test',
  'test-contracts/test',
  'test-contracts/proof',
  'examples/*/test',
];
const NAMED: Readonly<Record<string, readonly string[]>> = {
  // What takes longest comes first, so that nothing long is left for one core alone.
  saboteurs: ['test-contracts/proof/{saboteurs,sabotages}.spec.ts'],
  'crashes and faults': ['test-contracts/proof/{crashes,faults,three-nodes}/**/*.spec.ts'],
  'every combination': ['test-contracts/proof/{combinations,role-store-model}.spec.ts'],
  browsers: [
    'test-contracts/proof/{browser,management}/**/*.spec.ts',
    'packages/management/test/browser/**/*.spec.ts',
  ],
  adapters: ['packages/{archive-zip,memory,persistence-*,platform-node,storage-*}/test/**/*.spec.ts'],
};

/** Every spec of the workspace, each in one suite. */
export function suites(): readonly Suite[] {
  const left = new Set(found(SPECS.map((folder) => `${folder}/**/*.spec.ts`)));
  const named = Object.entries(NAMED).map(([name, patterns]) => {
    const files = found(patterns).filter((file) => left.delete(file));
    if (files.length === 0) throw new Error(`no spec is one of ${name}`);
    return { name, files };
  });
  return [...named, { name: 'everything else', files: [...left] }];
}

function found(patterns: readonly string[]): readonly string[] {
  const exclude = (name: string): boolean => /(?:^|[\\/])node_modules(?:[\\/]|$)/.test(name);
  return globSync([...patterns], { cwd: root, exclude }).sort();
}
