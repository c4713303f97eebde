import { appendFile, cp, readdir, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import { type Env, run } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';
import { countSteps } from './dying-disk.ts';
import { startPublisher } from './load.ts';
import {
  archivesOf,
  hashFiles,
  listFiles,
  openStage,
  removeFirstArchive,
  type Stage,
  succeed,
} from './stage.ts';

const { text: KEY } = new NodeApiKeySecrets().mint();
const GENERATION = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

describe('pinfold export --generations', () => {
  let stage: Stage;
  let env: Env;
  let backups: string;

  beforeEach(async () => {
    stage = openStage();
    env = await stage.stock('one', 2);
    backups = stage.at('backups');
  });

  const exportAgain = (count = 3, ...options: readonly string[]) =>
    run(env, 'export', backups, '--generations', String(count), ...options);
  const generations = async (): Promise<readonly string[]> => (await readdir(backups)).sort();
  async function publishAgain(): Promise<void> {
    const publisher = await startPublisher({ ...env, PINFOLD_API_KEY: KEY });
    await publisher.publish(0, 1, 1_000);
    await publisher.close();
  }
  const filesOf = (generation = '') => listFiles(join(backups, generation, 'archives'));

  it('writes each export to a folder named after its end, and keeps the given number', async () => {
    for (let night = 1; night <= 4; night += 1) {
      expect((await exportAgain(3)).code).to.equal(0);
      expect((await generations()).length).to.equal(Math.min(night, 3));
    }
    for (const name of await generations()) expect(name).to.match(GENERATION);
    await succeed(env, 'export', stage.at('alone'));
    for (const name of await generations()) {
      expect(await hashFiles(join(backups, name))).to.deep.equal(await hashFiles(stage.at('alone')));
    }
    expect((await exportAgain(2)).code).to.equal(0);
    expect((await generations()).length).to.equal(2);
  });

  it('links archives of the previous generation instead of copying them', async () => {
    await exportAgain();
    await publishAgain();
    expect((await exportAgain()).err).to.include('3 archives, 1 of them new');
    const [first = '', second = ''] = await generations();
    const inodes = async (generation: string) =>
      await Promise.all((await filesOf(generation)).map(async (file) => (await stat(file)).ino));
    const [before, now] = [await inodes(first), await inodes(second)];
    expect([before.length, now.length]).to.deep.equal([2, 3]);
    expect(now).to.include.members([...before]);
  });

  it('has in each generation exactly the archives of its records, even ones removed later', async () => {
    await exportAgain();
    await removeFirstArchive(env);
    await exportAgain();
    const counts = await Promise.all((await generations()).map(async (name) => (await filesOf(name)).length));
    expect(counts).to.deep.equal([2, 1]);
  });

  it('names the generation that a verification or an import of the folder reads', async () => {
    await exportAgain();
    await exportAgain();
    const [first = '', newest = ''] = await generations();
    const line = `newest generation: ${join(backups, newest)}\n`;
    expect((await succeed(env, 'verify', backups)).err).to.include(line);
    expect((await succeed(stage.env('two'), 'import', backups)).err).to.include(line);
    expect((await succeed(env, 'verify', join(backups, first))).err).not.to.include('newest generation');
  });

  it('restores the sites of an earlier generation', async () => {
    await exportAgain();
    const first = await removeFirstArchive(env);
    await publishAgain();
    await exportAgain();
    const [secondLast = ''] = await generations();
    await succeed(stage.env('two'), 'import', join(backups, secondLast));
    expect(await archivesOf(stage.env('two'))).to.include(first);
    const { out } = await succeed(stage.env('two'), 'verify', '--json');
    expect(JSON.parse(out)).to.deep.include({ named: 2, read: 2 });
    await succeed(stage.env('three'), 'import', backups);
    const newest = await archivesOf(stage.env('three'));
    expect([newest.length, newest.includes(first)]).to.deep.equal([2, false]);
  });

  it('keeps the order of exports, although the clock was set back', async () => {
    await exportAgain(2);
    const [first = ''] = await generations();
    const later = '2999-12-31T23-59-58Z';
    await rename(join(backups, first), join(backups, later));
    await publishAgain();
    for (let night = 0; night < 2; night += 1) {
      expect((await exportAgain(2)).code).to.equal(0);
      const found = await generations();
      expect([found.length, (await filesOf(found.at(-1))).length]).to.deep.equal([2, 3]);
    }
    expect(await generations()).to.deep.equal(['2999-12-31T23-59-59Z', '3000-01-01T00-00-00Z']);
  });

  it('verifies a sample of the export, and keeps the older exports if it has problems', async () => {
    expect((await exportAgain(2, '--verify', '1', '--scheduled')).code).to.equal(0);
    const [only] = await generations();
    // A file that several generations share is damaged in all of them.
    for (const file of await filesOf(only)) await appendFile(file, 'x');
    for (let night = 0; night < 2; night += 1) {
      const { code, err } = await exportAgain(2, '--verify', '1', '--scheduled');
      expect([code, /altered: \d{13}-/.test(err)]).to.deep.equal([1, true]);
    }
    expect((await generations()).length).to.equal(3);
    for (const generation of await generations())
      for (const file of await filesOf(generation)) await rm(file);
    expect((await exportAgain(2, '--verify', '9')).code).to.equal(0);
    expect((await generations()).length).to.equal(2);
  });

  it('leaves the last complete generation and a continuable export, wherever it is killed', async () => {
    await exportAgain();
    await exportAgain();
    await publishAgain();
    let deaths = 0;
    for (;;) {
      const folder = join(newFolder(), 'backups');
      await cp(backups, folder, { recursive: true });
      const args = ['export', folder, '--generations', '2'];
      const disk = countSteps(folder, deaths + 1);
      const { code } = await run(env, ...args);
      if (!disk.restore()) {
        expect(code).to.equal(0);
        break;
      }
      deaths += 1;
      const what = `step ${deaths}`;
      // What fails in the storage counts as temporary.
      expect(code, what).to.be.oneOf([1, 3]);
      expect((await run({}, 'verify', folder)).code, what).to.equal(0);
      await succeed(env, ...args);
      const [before = '', name = '', ...others] = (await readdir(folder)).sort();
      expect([before, name], what).to.satisfy((names: string[]) =>
        names.every((one) => GENERATION.test(one)),
      );
      expect(others, what).to.deep.equal([]);
      await succeed(env, 'export', stage.at('alone'));
      expect(await hashFiles(join(folder, name)), what).to.deep.equal(await hashFiles(stage.at('alone')));
    }
    expect(deaths).to.be.greaterThan(10);
  });

  it('refuses a folder with other files, and fewer than two generations', async () => {
    await succeed(env, 'export', backups);
    const { code, err } = await exportAgain();
    expect([code, err.includes('name an empty folder')]).to.deep.equal([1, true]);
    await rm(backups, { recursive: true });
    await exportAgain();
    await writeFile(join(backups, 'notes.txt'), '');
    expect((await exportAgain()).code).to.equal(1);
    for (const count of ['0', '1', '-1', '2.5', 'all', ''])
      expect((await run(env, 'export', backups, `--generations=${count}`)).code, count).to.equal(2);
    expect((await run(env, 'export', '-', '--generations', '2')).code).to.equal(2);
  });

  it('ignores symbolic links: it neither reads, removes nor writes through them', async () => {
    await exportAgain();
    const [first = ''] = await generations();
    const elsewhere = stage.at('elsewhere');
    await rename(join(backups, first), elsewhere);
    for (const name of ['2999-12-31T23-59-59Z', 'incoming']) {
      await symlink(elsewhere, join(backups, name));
      const before = await hashFiles(elsewhere);
      const { code, err } = await exportAgain(2);
      expect([code, err.includes('other files')], name).to.deep.equal([1, true]);
      expect((await run(env, 'verify', backups)).code, name).to.equal(1);
      expect(await hashFiles(elsewhere), name).to.deep.equal(before);
      await unlink(join(backups, name));
    }
    await rm(elsewhere, { recursive: true });
    expect((await exportAgain()).code).to.equal(0);
  });

  it('refuses to replace the export of another database', async () => {
    await exportAgain();
    const other = await stage.stock('other', 1);
    const { code, err } = await run(other, 'export', backups, '--generations', '3');
    expect([code, err.includes('another database')]).to.deep.equal([1, true]);
  });
});
