import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createMemory } from '@pinfold/memory';
import { aPublication, publishTo } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { compose } from '../../src/compose/compose.ts';
import { readSettings } from '../../src/index.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Machine, openMachine } from '../servers/served.ts';
import { settingsErrorOf } from '../servers/settings-error-of.ts';

const WITHOUT_ARCHIVES = /PINFOLD_DATA_DIR [^\n]+ without "archives": [^\n]+ mount/;

describe('a data folder whose archives vanished, as with a volume that is not mounted', () => {
  let machine: Machine;
  let data: string;
  let filesBefore: readonly string[];

  beforeEach(async () => {
    machine = await openMachine();
    data = join(machine.folder, 'data');
    const service = await compose(readSettings(machine.env));
    await publishTo(service.ports.roles, aPublication(1));
    await service.close();
    await rm(join(data, 'archives'), { recursive: true });
    filesBefore = await readdir(data);
  });

  it('stops each command that needs archives, and is left as it is', async () => {
    const evidence = join(machine.folder, 'evidence');
    const { id } = aPublication(1).role;
    const keep = ['pins', 'takedown', id, '--reason', 'Phishing', '--keep', evidence];
    expect((await machine.run(...keep)).code).to.equal(1);
    for (const args of [
      ['copy', '--to-data-dir', join(machine.folder, 'copy')],
      ['export', join(machine.folder, 'backup')],
      ['verify'],
      ['cleanup'],
      ['pins', 'save', id, join(machine.folder, 'site.zip')],
    ]) {
      const { code, err } = await machine.run(...args);
      expect([code, WITHOUT_ARCHIVES.test(err)], `${args.join(' ')}: ${err}`).to.deep.equal([3, true]);
    }
    expect(await readdir(data)).to.deep.equal(filesBefore);
    expect(await readdir(machine.folder)).to.deep.equal(['data']);
  });

  it('hinders no command that ends an access', async () => {
    const { id, account } = aPublication(1).role;
    for (const args of [
      ['keys', 'revoke', '--all'],
      ['accounts', 'block', account, '--reason', 'Phishing'],
      ['pins', 'takedown', id, '--reason', 'Phishing'],
    ]) {
      const { code, err } = await machine.run(...args);
      expect(code, `${args.join(' ')}: ${err}`).to.equal(0);
    }
    expect(await readdir(data)).to.deep.equal(filesBefore);
  });

  it('leaves only the removal of archives to later', async () => {
    const { id, account } = aPublication(1).role;
    const takedown = await machine.run('pins', 'takedown', id, '--reason', 'Phishing', '--purge');
    expect(takedown).to.include({ code: 0 });
    const erasure = await machine.run('accounts', 'erase', account, '--yes');
    expect(erasure).to.include({ code: 3 });
    expect(erasure.err).to.include('archives are left');
    expect(await readdir(data)).to.deep.equal(filesBefore);
  });

  it('is reported by doctor, and left as it is', async () => {
    const { code, out } = await machine.run('doctor', '--url', 'http://127.0.0.1:1');
    expect(code).to.equal(1);
    expect(out).to.include('without "archives"');
    expect(await readdir(data)).to.deep.equal(filesBefore);
  });

  it('stops a server, too, until the folder is there again', async () => {
    expect((await settingsErrorOf(compose(readSettings(machine.env)))).message).to.match(WITHOUT_ARCHIVES);
    expect(await readdir(data)).to.deep.equal(filesBefore);
    await mkdir(join(data, 'archives'));
    await (await compose(readSettings(machine.env))).close();
  });

  it('stops a server with its database elsewhere, even if the data folder is empty', async () => {
    const empty = newFolder();
    const persistence = createMemory();
    await publishTo(persistence.roles, aPublication(1));
    const settings = readSettings({ PINFOLD_DATA_DIR: empty, PINFOLD_SECRET: 'x'.repeat(44) });
    for (const purpose of ['server', 'import'] as const) {
      const { message } = await settingsErrorOf(compose(settings, { purpose, persistence }));
      expect(message, purpose).to.match(WITHOUT_ARCHIVES);
    }
    expect(await readdir(empty)).to.deep.equal([]);
  });

  it('is not what a command finds that another one has begun in an empty folder', async () => {
    await rm(data, { recursive: true });
    await mkdir(data);
    for (const args of [
      ['keys', 'create'],
      ['cleanup'],
      ['export', join(machine.folder, 'backup')],
      ['verify'],
    ]) {
      const { code, err } = await machine.run(...args);
      expect(code, `${args.join(' ')}: ${err}`).to.equal(0);
    }
  });
});
