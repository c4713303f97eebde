import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { obstacle, publish, sumsOf } from './release.ts';

const ready = {
  manifest: {
    repository: 'https://git.example/team/pinfold',
    homepage: 'https://pinfold.example',
    bugs: 'https://git.example/team/pinfold/issues',
  },
  version: '0.1.0',
  changesets: [],
  uncommitted: '',
  documents: ['## To 0.1.0', 'image: registry.example/pinfold:0.1.0'],
};

describe('npm run release', () => {
  it('accepts a workspace in which everything is described, committed and of one version', () => {
    expect(obstacle(ready)).to.equal(undefined);
  });

  it('stops with one line while the address of the repository is not set', () => {
    expect(obstacle({ ...ready, manifest: {} })).to.contain('repository, homepage, bugs');
  });

  it('stops if there are changesets, uncommitted changes, or a document with another version', () => {
    expect(obstacle({ ...ready, changesets: ['one.md'] })).to.contain('changeset version');
    expect(obstacle({ ...ready, uncommitted: ' M README.md' })).to.contain('not committed');
    expect(obstacle({ ...ready, documents: ['## To 0.1.0', 'pinfold:0.0.9'] })).to.contain('0.1.0');
  });

  it('reports the reason in one line, and does nothing else', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'release.ts')],
      {
        encoding: 'utf8',
        env: { ...process.env, PATH: '' },
      },
    );
    expect([status, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^release: .*\n$/);
  });

  it('publishes packages that the registry lacks, and none twice', () => {
    const calls: string[] = [];
    const has = 'view @pinfold/core@0.1.0 version';
    publish(['/t/pinfold-core-0.1.0.tgz', '/t/pinfold-0.1.0.tgz'], '0.1.0', (_, ...args) => {
      calls.push(args.join(' '));
      return args[0] === 'publish' || args.join(' ') === has ? 0 : 1;
    });
    expect(calls).to.deep.equal([
      has,
      'view pinfold@0.1.0 version',
      'publish /t/pinfold-0.1.0.tgz --access=public',
    ]);
  });

  it('lists tarballs as sha256sum reads them', () => {
    const cwd = import.meta.dirname;
    const input = sumsOf([join(cwd, 'release.ts'), join(cwd, 'pack.ts')]);
    const { status, stdout } = spawnSync('sha256sum', ['--check', '--strict'], {
      cwd,
      input,
      encoding: 'utf8',
    });
    expect([status, stdout]).to.deep.equal([0, 'release.ts: OK\npack.ts: OK\n']);
  });

  it('ends at the first refused package', () => {
    expect(() => publish(['/t/pinfold-0.1.0.tgz'], '0.1.0', () => 1)).to.throw('pinfold@0.1.0');
  });
});
