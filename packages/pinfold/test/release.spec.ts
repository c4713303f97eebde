import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readCloneCommit, readRelease } from '../src/release.ts';
import { newFolder } from './servers/new-folder.ts';

const COMMIT = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

async function clone(files: Readonly<Record<string, string>>, name: string): Promise<URL> {
  const folder = newFolder();
  await mkdir(join(folder, '.git', 'refs', 'heads'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name }));
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, '.git', file), text);
  return pathToFileURL(`${folder}/`);
}

describe('the version', () => {
  it('is the package’s, with the commit in a clone', async () => {
    const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(manifest) as { readonly version: string };
    const git = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], {
      encoding: 'utf8',
      cwd: import.meta.dirname,
    });
    // A copy without its history has no commit.
    const commit = git.status === 0 ? `+g${git.stdout.trim().slice(0, 7)}` : '';
    expect(await readRelease()).to.equal(`${version}${commit}`);
  });

  for (const [what, files] of [
    ['a branch', { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${COMMIT}\n` }],
    [
      'a branch that is packed',
      { HEAD: 'ref: refs/heads/main\n', 'packed-refs': `# pack-refs\n${COMMIT} refs/heads/main\n` },
    ],
    ['a commit', { HEAD: `${COMMIT}\n` }],
  ] as const) {
    it(`has the commit of a clone that has checked out ${what}`, async () => {
      expect(await readCloneCommit(await clone(files, 'pinfold-workspace'))).to.equal(COMMIT);
      expect(await readCloneCommit(await clone(files, 'a-team')), "another's repository").to.equal(undefined);
    });
  }

  it('has no commit if the branch has none yet, and without a repository', async () => {
    const unborn = { HEAD: 'ref: refs/heads/main\n' };
    expect(await readCloneCommit(await clone(unborn, 'pinfold-workspace'))).to.equal(undefined);
    expect(await readCloneCommit(await clone({}, 'pinfold-workspace'))).to.equal(undefined);
    expect(await readCloneCommit(pathToFileURL(`${newFolder()}/`))).to.equal(undefined);
  });
});
