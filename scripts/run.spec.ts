import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';

const server = `
const running = setInterval(() => {}, 1_000);
process.once('SIGTERM', () => { clearInterval(running); console.log('clean'); process.exitCode = 7; });
console.log('ready');
`;
const command = 'console.log(JSON.stringify(process.argv.slice(2)));';

describe('scripts/run.mjs, in a clone that is installed', () => {
  let clone: string;

  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'pinfold-run-'));
    const files = {
      'pnpm-lock.yaml': 'lockfileVersion: "9.0"\n',
      'node_modules/.pnpm/lock.yaml': 'lockfileVersion: "9.0"\n',
      'examples/reference-app/src/main.ts': server,
      'packages/pinfold/src/main.ts': command,
      'packages/management/build.ts': '',
      'node_modules/mocha/bin/mocha.js': command,
      'scripts/pnpm/package.json': '{"dependencies":{"pnpm":"12.0.0"}}',
      'scripts/pnpm/node_modules/pnpm/package.json': '{"version":"12.0.0"}',
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(clone, path)), { recursive: true });
      await writeFile(join(clone, path), content);
    }
    await cp(join(import.meta.dirname, 'run.mjs'), join(clone, 'scripts', 'run.mjs'));
  });

  afterEach(() => rm(clone, { recursive: true }));

  function run(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [join(clone, 'scripts', 'run.mjs'), ...args]);
  }

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
    expect(await once(child, 'exit')).to.deep.equal([128 + 1, null]);
  });

  it('hands over the arguments and writes nothing of its own', async () => {
    const child = run('pinfold', 'keys', 'list', '--json');
    const [written, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(JSON.parse(written)).to.deep.equal(['keys', 'list', '--json']);
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

  it('refuses a task it does not know', async () => {
    const child = run('deploy');
    expect(await text(child.stderr)).to.include('usage');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).to.equal(1);
  });
});
