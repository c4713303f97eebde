import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly environment?: string;
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, '..');
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');
const { parse } = createRequire(join(root, 'packages/pinfold/package.json'))('yaml') as {
  parse(text: string): Workflow;
};
const { permissions, jobs } = parse(read('.github/workflows/release.yml'));

describe('the release workflow', () => {
  const { publish, ...others } = jobs as Workflow['jobs'] & { readonly publish: Job };

  it('lets only one job request a token, in the environment npm', () => {
    expect(permissions).to.deep.equal({ contents: 'read' });
    expect(publish.permissions).to.deep.equal({ 'id-token': 'write' });
    expect(publish.environment).to.equal('npm');
    expect(Object.keys(others)).to.deep.equal(['pack']);
    for (const job of Object.values(others)) {
      expect(job.permissions ?? {}).to.deep.equal({});
      expect(job.environment).to.equal(undefined);
    }
  });

  it('checks out, installs and runs nothing of the repository in that job', () => {
    expect(publish.needs).to.equal('pack');
    const uses = publish.steps.flatMap((step) => step.uses?.split('@')[0] ?? []);
    expect(uses).to.deep.equal(['actions/setup-node', 'actions/download-artifact']);
    const commands = publish.steps.map(({ run = '' }) => run).join('\n');
    expect([...commands.matchAll(/\bnpm (\w+)/g)].map(([, name]) => name)).to.deep.equal(['view', 'publish']);
    expect(commands).not.to.match(/\b(?:npx|pnpm|corepack|git)\b/);
  });

  it('pins every action by its commit', () => {
    const uses = Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => step.uses ?? []));
    for (const use of uses) expect(use).to.match(/@[\da-f]{40}$/);
  });

  describe('publishing', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'pinfold-release-workflow-'));
      mkdirSync(join(folder, 'bin'));
      // Records its arguments; its registry has only @pinfold/core.
      const npm = `#!/bin/sh\necho "$@" >> "${folder}/called"\ncase "$2" in @pinfold/core@*) exit 0 ;; esac\ntest "$1" = publish\n`;
      writeFileSync(join(folder, 'bin/npm'), npm);
      chmodSync(join(folder, 'bin/npm'), 0o755);
      writeFileSync(join(folder, 'called'), '');
      for (const name of ['@pinfold/core', 'pinfold']) pack(name);
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const tarballOf = (name: string): string => `${name.replace('@', '').replace('/', '-')}-0.1.0.tgz`;
    const called = (): readonly string[] =>
      readFileSync(join(folder, 'called'), 'utf8').split('\n').slice(0, -1);
    const sums = (): string =>
      ['@pinfold/core', 'pinfold']
        .map(
          (name) =>
            `${digestOf(readFileSync(join(folder, 'release', tarballOf(name))))}  ${tarballOf(name)}\n`,
        )
        .join('');
    const runPublishStep = (written: string, digest = digestOf(written)): number | null => {
      writeFileSync(join(folder, 'release/SHA256SUMS'), written);
      const { run = '' } = publish.steps.at(-1) ?? {};
      const env = { ...process.env, SUMS: digest, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
      return spawnSync('bash', ['-c', run], { cwd: join(folder, 'release'), env }).status;
    };

    function pack(name: string): void {
      mkdirSync(join(folder, 'release/package'), { recursive: true });
      const manifest = JSON.stringify({ name, version: '0.1.0' });
      writeFileSync(join(folder, 'release/package/package.json'), manifest);
      spawnSync('tar', ['-czf', tarballOf(name), 'package'], { cwd: join(folder, 'release') });
      rmSync(join(folder, 'release/package'), { recursive: true });
    }

    it('publishes packages that the registry lacks', () => {
      expect(runPublishStep(sums())).to.equal(0);
      expect(called()).to.have.members([
        'view @pinfold/core@0.1.0 version',
        'view pinfold@0.1.0 version',
        `publish ${join(folder, 'release/pinfold-0.1.0.tgz')} --access=public --provenance --ignore-scripts`,
      ]);
    });

    it('publishes from a folder without npm configuration', () => {
      writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\nls -A >> "${folder}/called"; test "$1" = publish\n`);
      expect(runPublishStep(sums())).to.equal(0);
      expect(called()).to.deep.equal([]);
    });

    it('publishes nothing if there is a file that is not in the list', () => {
      for (const name of ['.npmrc', 'package.json', 'a b.tgz', '.hidden.tgz']) {
        writeFileSync(join(folder, 'release', name), 'proxy=http://127.0.0.1:9');
        expect(runPublishStep(sums()), name).not.to.equal(0);
        rmSync(join(folder, 'release', name));
      }
      mkdirSync(join(folder, 'release/node_modules'));
      expect(runPublishStep(sums()), 'a folder').not.to.equal(0);
      expect(called()).to.deep.equal([]);
    });

    it('publishes nothing if a tarball, the list or the number of tarballs differs', () => {
      const honest = sums();
      expect(runPublishStep(honest, digestOf('another list')), 'the list').not.to.equal(0);
      pack('@pinfold/more');
      expect(runPublishStep(honest), 'one more').not.to.equal(0);
      rmSync(join(folder, 'release', tarballOf('@pinfold/more')));
      writeFileSync(join(folder, 'release', tarballOf('pinfold')), 'altered');
      expect(runPublishStep(honest), 'a tarball').not.to.equal(0);
      expect(called()).to.deep.equal([]);
    });
  });
});

describe('the tool that builds a release', () => {
  it('is a pnpm pinned by its hash, the same for npm and corepack', () => {
    const lock = JSON.parse(read('scripts/pnpm/package-lock.json')).packages;
    const { version, integrity } = lock['node_modules/pnpm'];
    const hash = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    const { packageManager } = JSON.parse(read('package.json'));
    expect(packageManager).to.equal(`pnpm@${version}+sha512.${hash}`);
    expect(JSON.parse(read('scripts/pnpm/package.json')).dependencies).to.deep.equal({ pnpm: version });
    for (const platform of ['linux-x64', 'linux-arm64']) {
      expect(lock[`node_modules/@pnpm/exe.${platform}`])
        .to.include({ version })
        .and.have.property('integrity');
    }
  });

  it('uses a Node pinned by its hash if the installed one is too old, for each system', () => {
    const lock = JSON.parse(read('scripts/node/package-lock.json')).packages;
    const pinned = Object.entries(JSON.parse(read('scripts/node/package.json')).optionalDependencies);
    for (const [name, version] of pinned) {
      expect(lock[`node_modules/${name}`]).to.include({ version, optional: true });
      expect(lock[`node_modules/${name}`]).to.have.property('integrity');
      expect(lock[`node_modules/${name}`]).not.to.have.property('hasInstallScript');
    }
    expect(Object.keys(lock)).to.have.lengthOf(1 + pinned.length);
  });

  it('uses base images pinned by their digests', () => {
    const bases = [...read('deploy/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).to.have.length(2);
    for (const base of bases) expect(base).to.match(/@sha256:[\da-f]{64}$/);
  });
});

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
