import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const server = `
const running = setInterval(() => {}, 1_000);
process.once('SIGTERM', () => { clearInterval(running); console.log('clean'); process.exitCode = 7; });
console.log('ready');
`;
/** Makes one file of another, counts its calls in a file, and notes what it read as the real ones do. */
const bundlerOf = (source: string, made: string): string => `
import { appendFileSync, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
const [, script, record] = process.argv;
const [source, made] = ${JSON.stringify([source, made])};
const root = join(dirname(record), '../..');
mkdirSync(dirname(join(root, made)), { recursive: true });
copyFileSync(join(root, source), join(root, made));
appendFileSync(script + '.calls', 'bundled ');
const stamped = (path) => [path, statSync(join(root, path)).mtimeMs, statSync(join(root, path)).size];
const note = { sources: [stamped(source)], made: [stamped(made)], modules: { [source]: made } };
writeFileSync(record, JSON.stringify({ began: performance.timeOrigin, ...note }));
`;
const STYLES = 'packages/management/styles/management.css';
const SCREEN = 'packages/management/dist/assets/manifest.json';
const PACKAGE = 'packages/pinfold/src/index.ts';
const BUNDLE = 'examples/reference-app/dist/bundle/index.js';
const pnpm = `#!/bin/sh
if [ "$1" = --version ]; then echo 12.0.0; else echo "$@" >> calls; fi
`;
const npm = `#!/bin/sh
echo "$@" >> calls; ls node_modules >> calls; mkdir -p node_modules/.bin node_modules/pnpm
cp ../../tools/pnpm node_modules/.bin/pnpm; echo '{"version":"12.0.0"}' > node_modules/pnpm/package.json
`;
/** Fetches this very Node as the one that the lockfile pins, and that one calls itself another release. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const npmOfNode = (version: string): string => `#!/bin/sh
echo "$@" >> calls; mkdir -p node_modules/${NODE_PACKAGE}/bin
ln -sf ${process.execPath} node_modules/${NODE_PACKAGE}/bin/node
echo '{"version":"${version}"}' > node_modules/${NODE_PACKAGE}/package.json
`;
const older = "data:text/javascript,Object.defineProperty(process,'version',{value:'v20.0.0'})";
const command = 'console.log(JSON.stringify(process.argv.slice(2)));';

describe('scripts/run.mjs, in a clone that is installed', () => {
  let clone: string;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'pinfold-run-'));
    const files = {
      'pnpm-lock.yaml': 'lockfileVersion: "9.0"\n',
      'node_modules/.pnpm/lock.yaml': 'lockfileVersion: "9.0"\n',
      'examples/reference-app/src/main.ts': server,
      'packages/pinfold/src/main.ts': command,
      'packages/management/build.ts': bundlerOf(STYLES, SCREEN),
      [STYLES]: '',
      'scripts/bundle-server.ts': bundlerOf(PACKAGE, BUNDLE),
      [PACKAGE]: 'export const place = import.meta.filename;',
      'node_modules/mocha/bin/mocha.js': command,
      'tools/pnpm': pnpm,
      'scripts/pnpm/package.json': '{"dependencies":{"pnpm":"12.0.0"}}',
      'scripts/pnpm/node_modules/pnpm/package.json': '{"version":"12.0.0"}',
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(clone, path)), { recursive: true });
      await writeFile(join(clone, path), content);
    }
    env = { ...process.env, CI: '', PATH: `${join(clone, 'tools')}${delimiter}${process.env.PATH}` };
    await chmod(join(clone, 'tools', 'pnpm'), 0o755);
    for (const script of ['run.mjs', 'bundles.mjs', 'bundled.mjs', 'finished.mjs'])
      await cp(join(import.meta.dirname, script), join(clone, 'scripts', script));
  });

  afterEach(() => rm(clone, { recursive: true }));

  function run(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [join(clone, 'scripts', 'run.mjs'), ...args], { env });
  }

  async function ended(...args: readonly string[]): Promise<void> {
    const child = run(...args);
    const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(code, complaints).to.equal(0);
  }

  const callsOf = (path: string): Promise<string> => readFile(join(clone, path), 'utf8');

  it('lets the server end by itself on SIGTERM and answers with its exit code', async () => {
    const child = run('start');
    const exit = once(child, 'exit');
    const [ready] = await once(child.stdout, 'data');
    expect(String(ready)).to.equal('ready\n');
    child.kill('SIGTERM');
    expect(await text(child.stdout)).to.equal('clean\n');
    expect(await exit).to.deep.equal([7, null]);
  });

  it('says that a killed server was killed', async () => {
    const child = run('start');
    await once(child.stdout, 'data');
    child.kill('SIGHUP');
    expect(await once(child, 'exit')).to.deep.equal([null, 'SIGHUP']);
  });

  it('hands over the arguments and writes nothing of its own', async () => {
    const child = run('pinfold', 'keys', 'list', '--json');
    const [written, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(JSON.parse(written)).to.deep.equal(['keys', 'list', '--json']);
    expect(complained).to.equal('');
  });

  it('becomes the command where Node was started with the condition of the sources', async () => {
    const main = join(clone, 'packages/pinfold/src/main.ts');
    await writeFile(main, 'console.log(JSON.stringify([...process.execArgv, ...process.argv.slice(1)]));');
    const condition = '--conditions=@pinfold/source';
    const words = [condition, join(clone, 'scripts', 'run.mjs'), 'pinfold', 'keys', '--json'];
    const child = spawn(process.execPath, words, { env });
    const [written, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
    // Another process would have one more option of Node.
    expect(JSON.parse(written)).to.deep.equal([condition, main, 'keys', '--json']);
    expect(complained).to.equal('');
  });

  it('hands specs to mocha, and asks for one where none is named', async () => {
    const child = run('spec', 'a.spec.ts', '--watch');
    expect(JSON.parse(await text(child.stdout))).to.deep.equal(['a.spec.ts', '--watch']);
    const asked = run('spec');
    expect(await text(asked.stderr)).to.include('npm run spec -- FILE');
    expect(asked.exitCode ?? (await once(asked, 'exit'))[0]).to.equal(1);
  });

  it('says what comes next once it is set up', async () => {
    const child = run('setup');
    expect(await text(child.stdout)).to.include('npm run spec');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).to.equal(0);
  });

  for (const [task, what, source, made] of [
    ['setup', 'packages/management/build.ts', STYLES, SCREEN],
    ['start', 'scripts/bundle-server.ts', PACKAGE, BUNDLE],
  ] as const) {
    it(`calls ${what} again only when a source is another, or what it made`, async () => {
      await writeFile(join(clone, 'examples/reference-app/src/main.ts'), '');
      const [from, to] = [join(clone, source), join(clone, made)];
      const dated = (file: string, date: number): Promise<void> => utimes(file, date, date);
      const now = Date.now() / 1_000;
      let calls = '';
      for (const change of [
        async () => {},
        () => dated(from, now + 60),
        // It may have changed while it was bundled.
        async () => {},
        () => dated(from, now - 60),
        () => writeFile(from, '// longer').then(() => dated(from, now - 60)),
        () => writeFile(to, ''),
        () => rm(to),
        () => rm(dirname(to), { recursive: true }),
      ]) {
        await change();
        await ended(task);
        calls += 'bundled ';
        expect(await callsOf(`${what}.calls`), String(change)).to.equal(calls);
      }
      await ended(task);
      expect(await callsOf(`${what}.calls`)).to.equal(calls);
    });
  }

  for (const [how, ...options] of [
    ['in its own process', '--conditions=@pinfold/source'],
    ['in another process'],
  ] as const)
    it(`starts the server with its packages out of the bundle, ${how}, or on their sources where that fails`, async () => {
      await writeFile(
        join(clone, 'examples/reference-app/src/main.ts'),
        `import { place } from '../../../${PACKAGE}'; console.log(place, import.meta.filename);`,
      );
      const start = () =>
        spawn(process.execPath, [...options, join(clone, 'scripts/run.mjs'), 'start'], { env });
      const root = await realpath(clone);
      const main = join(root, 'examples/reference-app/src/main.ts');
      expect(await text(start().stdout)).to.equal(`${join(root, BUNDLE)} ${main}\n`);
      await writeFile(join(clone, 'scripts/bundle-server.ts'), 'throw new Error("no room");');
      await rm(join(clone, BUNDLE));
      const child = start();
      const [written, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect(written).to.equal(`${join(root, PACKAGE)} ${main}\n`);
      expect(complained)
        .to.include('no room')
        .and.to.include('could not be bundled, and runs on its sources');
    });

  it('runs another process of a server on the sources where the bundle is gone', async () => {
    const main = join(clone, 'main.ts');
    await writeFile(main, `import { place } from './${PACKAGE}'; console.log(place);`);
    await writeFile(join(clone, 'examples/reference-app/src/main.ts'), '');
    await ended('start');
    const words = ['--import', join(clone, 'scripts/bundled.mjs'), main];
    const place = () => text(spawn(process.execPath, words, { env }).stdout);
    const root = await realpath(clone);
    expect(await place()).to.equal(`${join(root, BUNDLE)}\n`);
    await rm(join(clone, BUNDLE));
    expect(await place()).to.equal(`${join(root, PACKAGE)}\n`);
  });

  /** Lets the clone pin a release of Node, and npm fetch one. */
  async function pinNode(version: string, fetched: string = version): Promise<void> {
    const files = {
      'scripts/node/package.json': JSON.stringify({ optionalDependencies: { [NODE_PACKAGE]: version } }),
      'tools/npm': npmOfNode(fetched),
    };
    await mkdir(join(clone, 'scripts/node'), { recursive: true });
    for (const [path, content] of Object.entries(files)) await writeFile(join(clone, path), content);
    await chmod(join(clone, 'tools/npm'), 0o755);
  }

  it('leaves the Node that it fetched where npm looks first, in the place of one that is gone', async () => {
    await pinNode('24.99.0');
    const link = join(clone, 'node_modules/.bin/node');
    await mkdir(dirname(link));
    await symlink(join(clone, 'gone'), link);
    env.NODE_OPTIONS = `--import=${older}`;
    await ended('setup');
    expect(await realpath(link)).to.equal(await realpath(process.execPath));
    expect(await callsOf('scripts/node/calls')).to.match(/^ci --ignore-scripts [^\n]+\n$/);
    // pnpm lays this folder anew when it installs, and may be run by the Node of the link.
    await rm(link);
    delete env.NODE_OPTIONS;
    env.npm_config_user_agent = 'npm/11.0.0 node/v20.0.0 linux x64';
    await ended('setup');
    expect(await realpath(link)).to.equal(await realpath(process.execPath));
  });

  it('says at a start that the pinned Node is newer than the one in use, which a set-up renews', async () => {
    await writeFile(join(clone, 'examples/reference-app/src/main.ts'), '');
    env.NODE_OPTIONS = `--import=${older}`;
    const complaints = () => text(run('start').stderr);
    await pinNode('24.10.0');
    expect(await complaints()).to.match(/fetching Node 24\.10\.0 \(once\)\n$/);
    await pinNode('24.11.0');
    expect(await complaints()).to.include('Node 24.10.0 runs this, and 24.11.0 is newer: `npm run setup`');
    await ended('setup');
    expect(await complaints()).to.equal('');
    delete env.NODE_OPTIONS;
    const [major] = process.versions.node.split('.');
    await rm(join(clone, 'scripts/node/node_modules'), { recursive: true });
    await rm(join(clone, 'node_modules/.bin'), { recursive: true, force: true });
    await pinNode(`${major}.999.0`);
    expect(await complaints()).to.include(
      `Node ${process.versions.node} runs this, and ${major}.999.0 is newer`,
    );
    await pinNode(`${Number(major) + 1}.0.0`);
    expect(await complaints()).to.equal('');
  });

  it('names what to do where there is no Node to fetch, or none that runs', async () => {
    env.NODE_OPTIONS = `--import=${older}`;
    expect(await text(run('start').stderr)).to.include('install Node 22.18 or newer by hand');
    await pinNode('24.10.0');
    await writeFile(join(clone, 'tools/npm'), '#!/bin/sh\nexit 1\n');
    expect(await text(run('start').stderr)).to.include('install Node 22.18 or newer by hand');
  });

  it('leaves the fetched Node for one of the machine that is new enough', async () => {
    const link = join(clone, 'node_modules/.bin/node');
    await mkdir(dirname(link));
    await symlink(process.execPath, link);
    env.npm_config_user_agent = 'npm/11.0.0 node/v24.0.0 linux x64';
    env.npm_node_execpath = join(clone, 'tools/newer');
    await writeFile(env.npm_node_execpath, '#!/bin/sh\necho newer\n');
    await chmod(env.npm_node_execpath, 0o755);
    expect(await text(run('start').stdout)).to.equal('newer\n');
    expect(existsSync(link)).to.equal(false);
  });

  it('fetches pnpm again where that was interrupted, and from the beginning', async () => {
    await writeFile(join(clone, 'tools/pnpm'), pnpm.replace('12.0.0', '11.0.0'));
    await writeFile(join(clone, 'tools/npm'), npm);
    await chmod(join(clone, 'tools/npm'), 0o755);
    await ended('setup');
    await ended('setup');
    expect(await callsOf('scripts/pnpm/calls')).to.match(/^install [^\n]+\n$/);
  });

  it('installs what a server needs, once, and everything for what needs everything', async () => {
    await writeFile(join(clone, 'pnpm-lock.yaml'), 'lockfileVersion: "9.1"\n');
    await rm(join(clone, 'node_modules/mocha'), { recursive: true });
    await ended('pinfold');
    await ended('pinfold');
    const install = 'install --frozen-lockfile --reporter=append-only';
    const server = `${install} --prod --filter-prod=pinfold-example-reference-app... --config.minimumReleaseAge=0\n`;
    expect(await callsOf('calls')).to.equal(server);
    await ended('setup');
    expect(await callsOf('calls')).to.equal(`${server}${install} --config.minimumReleaseAge=0\n`);
  });

  it('leaves the age of releases to be asked in CI', async () => {
    await writeFile(join(clone, 'pnpm-lock.yaml'), 'lockfileVersion: "9.1"\n');
    env.CI = 'true';
    await ended('setup');
    expect(await callsOf('calls')).to.equal('install --frozen-lockfile --reporter=append-only\n');
  });

  it('refuses a task it does not know', async () => {
    const child = run('deploy');
    expect(await text(child.stderr)).to.include('usage');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).to.equal(1);
  });
});
