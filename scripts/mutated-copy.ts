/** Copies the workspace for mutation testing, which changes the code in place. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** The files that the packages' tests load and read. */
const COPIED = [
  '.mocharc.json',
  'package.json',
  'packages',
  'test-contracts',
  'docs',
  'deploy',
  'scripts/random-seed.ts',
];

/** A package that is mutated, with the tests that must notice. */
export interface Mutated {
  readonly specs: readonly string[];
  /** The sources that are changed. Default: all. */
  readonly sources?: readonly string[];
  /** The package whose sources are changed; its own name when absent. */
  readonly package?: string;
  /** The minimum part of the changes that the tests must notice, in percent. */
  readonly least: number;
}

/** An adapter, which only the published suites judge, not its own tests. */
function adapter(name: string, more: Partial<Mutated> = {}): Mutated {
  return { specs: [`packages/${name}/test/*.contract.spec.ts`], least: 95, ...more };
}

/** The packages that can be mutated, by name. */
export const mutated: Readonly<Record<string, Mutated>> = {
  core: {
    least: 90,
    // The API's suite, too: some promises about names have no other test. Every order takes too long for each change.
    specs: [
      'packages/core/test/**/!(every-order|sqlite|postgres).spec.ts',
      'packages/http-express/test/api.contract.spec.ts',
    ],
  },
  stores: {
    package: 'core',
    sources: ['stores/**/*.ts'],
    least: 95,
    specs: ['packages/core/test/stores/**/!(every-order|sqlite|postgres).spec.ts'],
  },
  'http-express': {
    least: 90,
    // First the spec that reads the whole document, which every other test creates.
    specs: ['packages/http-express/test/openapi.spec.ts', 'packages/http-express/test/**/*.spec.ts'],
  },
  viewer: { least: 90, specs: ['packages/viewer/test/**/*.spec.ts'] },
  memory: adapter('memory', { specs: ['test-contracts/test/memory/*.contract.spec.ts'] }),
  'persistence-sqlite': adapter('persistence-sqlite', {
    specs: ['packages/persistence-sqlite/test/database.contract.spec.ts'],
    sources: ['database/*.ts'],
  }),
  'storage-fs': adapter('storage-fs'),
};

/** Names for several packages, which are mutated one after the other. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  adapters: ['memory', 'storage-fs', 'persistence-sqlite'],
};

/** Makes the copy, with the version of mocha that the mutation tool supports. */
export async function copyTo(folder: string, mocha: string): Promise<void> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', ...COPIED];
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  for (const file of files.filter((name) => existsSync(join(root, name)))) {
    await cp(join(root, file), join(folder, file));
    const links = join(dirname(file), 'node_modules');
    if (!file.endsWith('/package.json') || !existsSync(join(root, links))) continue;
    await cp(join(root, links), join(folder, links), { recursive: true, verbatimSymlinks: true });
    await rm(join(folder, links, 'mocha'), { force: true });
  }
  const ours = join('node_modules', '@pinfold');
  await cp(join(root, ours), join(folder, ours), { recursive: true, verbatimSymlinks: true });
  for (const link of ['.pnpm', 'fast-check']) {
    await symlink(join(root, 'node_modules', link), join(folder, 'node_modules', link));
  }
  await symlink(mocha, join(folder, 'node_modules', 'mocha'));
}
