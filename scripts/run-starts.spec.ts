import { once } from 'node:events';
import { realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { BUNDLE, InstalledClone, PACKAGE, SCREEN, STYLES } from './installed-clone.ts';

describe('scripts/run.mjs, starting a task in an installed clone,', () => {
  let clone: InstalledClone;

  beforeEach(async () => {
    clone = await InstalledClone.make();
  });

  afterEach(() => clone.remove());

  it('lets the server end by itself on SIGTERM, and exits with its code', async () => {
    const child = clone.run('start');
    const exit = once(child, 'exit');
    const [ready] = await once(child.stdout, 'data');
    expect(String(ready)).to.equal('ready\n');
    child.kill('SIGTERM');
    expect(await text(child.stdout)).to.equal('clean\n');
    expect(await exit).to.deep.equal([7, null]);
  });

  it('reports that a killed server was killed', async () => {
    const child = clone.run('start');
    await once(child.stdout, 'data');
    child.kill('SIGHUP');
    expect(await once(child, 'exit')).to.deep.equal([null, 'SIGHUP']);
  });

  it('passes the arguments on, and prints nothing itself', async () => {
    const child = clone.run('pinfold', 'keys', 'list', '--json');
    const [written, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(JSON.parse(written)).to.deep.equal(['keys', 'list', '--json']);
    expect(errorOutput).to.equal('');
  });

  it('runs the command in its own process if Node was started with the condition of the sources', async () => {
    const main = clone.path('packages/pinfold/src/main.ts');
    await writeFile(main, 'console.log(JSON.stringify([...process.execArgv, ...process.argv.slice(1)]));');
    const condition = '--conditions=@pinfold/source';
    const words = [condition, clone.path('scripts', 'run.mjs'), 'pinfold', 'keys', '--json'];
    const child = clone.node(...words);
    const [written, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr)]);
    // Another process would have one more option of Node.
    expect(JSON.parse(written)).to.deep.equal([condition, main, 'keys', '--json']);
    expect(errorOutput).to.equal('');
  });

  it('passes specs to mocha, and requires at least one', async () => {
    const child = clone.run('spec', 'a.spec.ts', '--watch');
    expect(JSON.parse(await text(child.stdout))).to.deep.equal(['a.spec.ts', '--watch']);
    const process = clone.run('spec');
    expect(await text(process.stderr)).to.include('npm run spec -- FILE');
    expect(process.exitCode ?? (await once(process, 'exit'))[0]).to.equal(1);
  });

  it('prints the next step after the setup', async () => {
    const child = clone.run('setup');
    expect(await text(child.stdout)).to.include('npm run spec');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).to.equal(0);
  });

  // They use the same records.
  for (const [task, what, source, made, most] of [
    ['setup', 'packages/management/build.ts', STYLES, SCREEN, 8],
    ['start', 'scripts/bundle-server.ts', PACKAGE, BUNDLE, 2],
  ] as const) {
    it(`runs ${what} again only if a source or an output has changed`, async () => {
      await writeFile(clone.path('examples/reference-app/src/main.ts'), '');
      const [from, to] = [clone.path(source), clone.path(made)];
      const dated = (file: string, date: number): Promise<void> => utimes(file, date, date);
      const now = Date.now() / 1_000;
      let calls = '';
      const changes = [
        async () => {},
        () => writeFile(from, '// longer').then(() => dated(from, now - 60)),
        () => writeFile(to, ''),
        () => rm(to),
        () => rm(dirname(to), { recursive: true }),
        () => dated(from, now + 60),
        // It may have changed while it was bundled.
        async () => {},
        () => dated(from, now - 60),
      ];
      for (const change of changes.slice(0, most)) {
        await change();
        await clone.succeed(task);
        calls += 'bundled ';
        expect(await clone.read(`${what}.calls`), String(change)).to.equal(calls);
      }
      await clone.succeed(task);
      expect(await clone.read(`${what}.calls`)).to.equal(calls);
    });
  }

  for (const [how, ...options] of [
    ['in its own process', '--conditions=@pinfold/source'],
    ['in another process'],
  ] as const)
    it(`starts the server with its packages from the bundle, ${how}, or from their sources if that fails`, async () => {
      await writeFile(
        clone.path('examples/reference-app/src/main.ts'),
        `import { place } from '../../../${PACKAGE}'; console.log(place, import.meta.filename);`,
      );
      const start = () => clone.node(...options, clone.path('scripts/run.mjs'), 'start');
      const root = await realpath(clone.root);
      const main = join(root, 'examples/reference-app/src/main.ts');
      expect(await text(start().stdout)).to.equal(`${join(root, BUNDLE)} ${main}\n`);
      await writeFile(clone.path('scripts/bundle-server.ts'), 'throw new Error("no room");');
      await rm(clone.path(BUNDLE));
      const child = start();
      const [written, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect(written).to.equal(`${join(root, PACKAGE)} ${main}\n`);
      expect(errorOutput)
        .to.include('no room')
        .and.to.include('could not be bundled, and runs on its sources');
    });

  it('runs another process of a server from the sources if the bundle is gone', async () => {
    const main = clone.path('main.ts');
    await writeFile(main, `import { place } from './${PACKAGE}'; console.log(place);`);
    await writeFile(clone.path('examples/reference-app/src/main.ts'), '');
    await clone.succeed('start');
    const words = ['--import', clone.path('scripts/bundled.mjs'), main];
    const place = () => text(clone.node(...words).stdout);
    const root = await realpath(clone.root);
    expect(await place()).to.equal(`${join(root, BUNDLE)}\n`);
    await rm(clone.path(BUNDLE));
    expect(await place()).to.equal(`${join(root, PACKAGE)}\n`);
  });

  it('refuses an unknown task', async () => {
    const child = clone.run('deploy');
    expect(await text(child.stderr)).to.include('usage');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).to.equal(1);
  });
});
