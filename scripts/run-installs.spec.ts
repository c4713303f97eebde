import { existsSync } from 'node:fs';
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { InstalledClone, pnpm } from './installed-clone.ts';

const npm = `#!/bin/sh
echo "$@" >> calls; ls node_modules >> calls; mkdir -p node_modules/.bin node_modules/pnpm
cp ../../tools/pnpm node_modules/.bin/pnpm; echo '{"version":"12.0.0"}' > node_modules/pnpm/package.json
`;
/** Fetches this Node as the one that the lockfile pins, which reports another release. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const npmOfNode = (version: string): string => `#!/bin/sh
echo "$@" >> calls; mkdir -p node_modules/${NODE_PACKAGE}/bin
ln -sf ${process.execPath} node_modules/${NODE_PACKAGE}/bin/node
echo '{"version":"${version}"}' > node_modules/${NODE_PACKAGE}/package.json
`;
const older = "data:text/javascript,Object.defineProperty(process,'version',{value:'v20.0.0'})";

describe('scripts/run.mjs, installing what a task needs,', () => {
  let clone: InstalledClone;

  beforeEach(async () => {
    clone = await InstalledClone.make();
  });

  afterEach(() => clone.remove());

  /** Lets the clone pin a release of Node, and npm fetch one. */
  async function pinNode(version: string): Promise<void> {
    const node = JSON.stringify({ optionalDependencies: { [NODE_PACKAGE]: version } });
    await clone.write({ 'scripts/node/package.json': node });
    await clone.writeTool('npm', npmOfNode(version));
  }

  it('puts the fetched Node where npm looks first, if the earlier one is gone', async () => {
    await pinNode('24.99.0');
    const link = clone.path('node_modules/.bin/node');
    await mkdir(dirname(link));
    await symlink(clone.path('gone'), link);
    clone.env.NODE_OPTIONS = `--import=${older}`;
    await clone.succeed('setup');
    expect(await realpath(link)).to.equal(await realpath(process.execPath));
    expect(await clone.read('scripts/node/calls')).to.match(/^ci --ignore-scripts [^\n]+\n$/);
    // pnpm recreates this folder when it installs, and may be run by the Node of the link.
    await rm(link);
    delete clone.env.NODE_OPTIONS;
    clone.env.npm_config_user_agent = 'npm/11.0.0 node/v20.0.0 linux x64';
    await clone.succeed('setup');
    expect(await realpath(link)).to.equal(await realpath(process.execPath));
  });

  it('reports at a start that the pinned Node is newer than the one in use, which a setup updates', async () => {
    await writeFile(clone.path('examples/reference-app/src/main.ts'), '');
    clone.env.NODE_OPTIONS = `--import=${older}`;
    const errorOutput = () => text(clone.run('start').stderr);
    await pinNode('24.10.0');
    expect(await errorOutput()).to.match(/fetching Node 24\.10\.0 \(once\)\n$/);
    await pinNode('24.11.0');
    expect(await errorOutput()).to.include('Node 24.10.0 runs this, and 24.11.0 is newer: `npm run setup`');
    await clone.succeed('setup');
    expect(await errorOutput()).to.equal('');
    delete clone.env.NODE_OPTIONS;
    const [major] = process.versions.node.split('.');
    await rm(clone.path('scripts/node/node_modules'), { recursive: true });
    await rm(clone.path('node_modules/.bin'), { recursive: true, force: true });
    await pinNode(`${major}.999.0`);
    expect(await errorOutput()).to.include(
      `Node ${process.versions.node} runs this, and ${major}.999.0 is newer`,
    );
    await pinNode(`${Number(major) + 1}.0.0`);
    expect(await errorOutput()).to.equal('');
  });

  it('gives advice if no Node can be fetched, or the fetched one does not run', async () => {
    clone.env.NODE_OPTIONS = `--import=${older}`;
    expect(await text(clone.run('start').stderr)).to.include('install Node 22.18 or newer by hand');
    await pinNode('24.10.0');
    await clone.writeTool('npm', '#!/bin/sh\nexit 1\n');
    expect(await text(clone.run('start').stderr)).to.include('install Node 22.18 or newer by hand');
  });

  it('prefers a Node of the machine that is new enough to the fetched one', async () => {
    const link = clone.path('node_modules/.bin/node');
    await mkdir(dirname(link));
    await symlink(process.execPath, link);
    clone.env.npm_config_user_agent = 'npm/11.0.0 node/v24.0.0 linux x64';
    clone.env.npm_node_execpath = clone.path('tools/newer');
    await clone.writeTool('newer', '#!/bin/sh\necho newer\n');
    expect(await text(clone.run('start').stdout)).to.equal('newer\n');
    expect(existsSync(link)).to.equal(false);
  });

  it('fetches pnpm again from the beginning if that was interrupted', async () => {
    await clone.writeTool('pnpm', pnpm.replace('12.0.0', '11.0.0'));
    await clone.writeTool('npm', npm);
    await clone.succeed('setup');
    await clone.succeed('setup');
    expect(await clone.read('scripts/pnpm/calls')).to.match(/^install [^\n]+\n$/);
  });

  it('installs the packages of a server, once, and all packages for tasks that need them', async () => {
    await clone.write({ 'pnpm-lock.yaml': 'lockfileVersion: "9.1"\n' });
    await rm(clone.path('node_modules/mocha'), { recursive: true });
    await clone.succeed('pinfold');
    await clone.succeed('pinfold');
    const install = 'install --frozen-lockfile --reporter=append-only';
    const server = `${install} --prod --filter-prod=pinfold-example-reference-app... --config.minimumReleaseAge=0\n`;
    expect(await clone.read('calls')).to.equal(server);
    await clone.succeed('setup');
    expect(await clone.read('calls')).to.equal(`${server}${install} --config.minimumReleaseAge=0\n`);
  });

  it('checks the age of releases only in CI', async () => {
    await clone.write({ 'pnpm-lock.yaml': 'lockfileVersion: "9.1"\n' });
    clone.env.CI = 'true';
    await clone.succeed('setup');
    expect(await clone.read('calls')).to.equal('install --frozen-lockfile --reporter=append-only\n');
  });
});
