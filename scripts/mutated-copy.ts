/** What mutation testing works on: a copy of the workspace, since the code is changed in place. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** What tests of packages load and read. */
const COPIED = [
  '.mocharc.json',
  'package.json',
  'packages',
  'test-contracts',
  'docs',
  'deploy',
  'scripts/random-seed.ts',
];

/** A package that is changed, with the tests that have to notice. */
export interface Mutated {
  readonly specs: readonly string[];
  /** What of its sources is changed, where that is not all of them. */
  readonly sources?: readonly string[];
  /** The least part of the changes that the tests must notice, in per cent. */
  readonly least: number;
}

/** Of an adapter the published suites alone judge: its own tests have no part in it. */
function adapter(name: string, more: Partial<Mutated> = {}): Mutated {
  return { specs: [`packages/${name}/test/*.contract.spec.ts`], least: 95, ...more };
}

/** What is mutated, by the name of the package. */
export const mutated: Readonly<Record<string, Mutated>> = {
  core: {
    least: 90,
    // The API's suite, too: what it promises of names has no other test.
    specs: ['packages/core/test/**/*.spec.ts', 'packages/http-express/test/api.contract.spec.ts'],
  },
  'http-express': {
    least: 90,
    // First what looks at the whole document, which every other test makes.
    specs: ['packages/http-express/test/openapi.spec.ts', 'packages/http-express/test/**/*.spec.ts'],
  },
  viewer: { least: 90, specs: ['packages/viewer/test/**/*.spec.ts'] },
  memory: adapter('memory', { specs: ['test-contracts/test/memory/*.contract.spec.ts'] }),
  'persistence-sqlite': adapter('persistence-sqlite', {
    sources: [
      'schema/columns.ts',
      'stores/{accounts,events,feed,sqlite-*-{counter,store}}.ts',
      'stores/role-store/*.ts',
    ],
  }),
  'storage-fs': adapter('storage-fs'),
};

/** Several packages by one name, one after the other. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  adapters: ['memory', 'storage-fs', 'persistence-sqlite'],
};

/** Makes the copy; only its mocha is another one, which the mutation tool knows. */
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
