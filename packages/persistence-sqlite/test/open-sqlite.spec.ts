import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { refusalOf } from '@pinfold/core/internal';
import { anApiKey, anApiKeyId, anEvent, everyKeyOf, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { faultOf } from '@pinfold/test-contracts/internal';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SqliteFile } from '../src/engine/sqlite-file.ts';
import { openSqlite } from '../src/index.ts';
import { inFolder, onFile } from './in-folder.ts';

describe('openSqlite', () => {
  it('accepts only an absolute path', async () => {
    for (const file of [
      'pinfold.sqlite',
      './data/pinfold.sqlite',
      ':memory:',
      '',
      'file:/tmp/x',
      '/tmp/x ',
    ]) {
      expect(await rejectionOf(openSqlite({ file })), file).to.be.instanceOf(TypeError);
    }
  });

  it('creates the file and those beside it for its owner only', () =>
    onFile(async (file, _handle) => {
      for (const path of [file, `${file}-wal`, `${file}-shm`]) {
        expect((await stat(path)).mode & 0o777, path).to.equal(0o600);
      }
    }));

  it('has the settings that force every commit to the disk', () =>
    inFolder(async (folder) => {
      const file = new SqliteFile(join(folder, 'pinfold.sqlite'));
      const setting = (name: string): unknown =>
        Object.values(file.prepare<object>(`PRAGMA ${name}`).get() ?? {})[0];
      expect(setting('journal_mode')).to.equal('wal');
      expect(setting('synchronous')).to.equal(2);
      expect(setting('foreign_keys')).to.equal(1);
      expect(setting('wal_autocheckpoint')).to.equal(65_536);
      expect(setting('busy_timeout')).to.be.at.most(10);
      file.close();
    }));

  it('uses small pages in a new file, and keeps those of an existing one', () =>
    inFolder(async (folder) => {
      const old = new Database(join(folder, 'old.sqlite'));
      old.exec('CREATE TABLE notes (text TEXT)');
      old.close();
      for (const [name, bytes] of [
        ['new.sqlite', 1_024],
        ['old.sqlite', 4_096],
      ] as const) {
        const path = join(folder, name);
        const persistence = await openSqlite({ file: path });
        await persistence.migrate();
        await persistence.close();
        expect(readFileSync(path).readUInt16BE(16), name).to.equal(bytes);
        const file = new SqliteFile(path);
        const [most] = file.prepare<{ wal_autocheckpoint: number }>('PRAGMA wal_autocheckpoint').all();
        expect((most?.wal_autocheckpoint ?? 0) * bytes, name).to.equal(67_108_864);
        file.close();
      }
    }));

  it('rejects with a fault where there can be no database', () =>
    inFolder(async (folder) => {
      await writeFile(
        join(folder, 'text'),
        'This is a text, and as long as it is, it is no database at all. '.repeat(99),
      );
      await mkdir(join(folder, 'folder'));
      expect((await faultOf(openSqlite({ file: join(folder, 'absent', 'pinfold.sqlite') }))).code).to.equal(
        'store_unavailable',
      );
      expect((await faultOf(openSqlite({ file: join(folder, 'folder') }))).code).to.equal(
        'store_unavailable',
      );
      expect((await faultOf(openSqlite({ file: join(folder, 'text') }))).code).to.equal('store_corrupt');
    }));

  it('closes once, and answers nothing afterwards', () =>
    onFile(async (_, handle) => {
      expect(await handle.check(), 'without a clock').to.equal(undefined);
      await handle.close();
      await handle.close();
      expect((await faultOf(handle.check())).code).to.equal('store_unavailable');
      const records = handle.snapshot.records()[Symbol.asyncIterator]();
      expect((await faultOf(records.next())).code).to.equal('store_unavailable');
      expect((await faultOf(handle.apiKeys.create(anApiKey(1), [anEvent()]))).code).to.equal(
        'store_unavailable',
      );
    }));

  it('does not affect a handle when another on the same file is opened and closed', () =>
    onFile(async (file, one) => {
      const other = await openSqlite({ file });
      await other.apiKeys.create(anApiKey(1), [anEvent()]);
      await other.close();
      await one.apiKeys.create(anApiKey(2), [anEvent()]);
      const later = await openSqlite({ file });
      expect((await later.apiKeys.list(everyKeyOf())).map((key) => key.id)).to.deep.equal([
        anApiKeyId(2),
        anApiKeyId(1),
      ]);
      await later.close();
    }));

  it('opens a file that replaced a damaged one, without a restart', () =>
    inFolder(async (folder) => {
      const good = join(folder, 'good.sqlite');
      const file = join(folder, 'pinfold.sqlite');
      const maker = await openSqlite({ file: good });
      await maker.migrate();
      await maker.apiKeys.create(anApiKey(1), [anEvent()]);
      await maker.close();
      const handle = await openSqlite({ file });
      await handle.migrate();
      await handle.close();
      const damaged = await openSqlite({ file });
      await writeFile(file, Buffer.alloc(200_000, 0x5a));
      expect((await faultOf(damaged.apiKeys.list(everyKeyOf()))).code).to.equal('store_corrupt');
      await rename(good, file);
      expect(await damaged.apiKeys.find(anApiKeyId(1))).to.deep.equal(anApiKey(1));
      await damaged.close();
    }));

  for (const writer of ['the event loop', 'the thread'] as const)
    it(`neither changes nor creates a file while it is away, and goes on when it is back: in ${writer}`, () =>
      onFile(async (file, handle) => {
        if (writer === 'the thread') await setTimeout(THREAD_STARTED);
        await handle.apiKeys.create(anApiKey(1), [anEvent()]);
        const away = `${file}-away`;
        await moveDatabase(file, away);
        for (const n of [2, 3])
          expect(
            (await faultOf(handle.apiKeys.create(anApiKey(n), [anEvent()]))).code,
            `change ${n}`,
          ).to.equal('store_unavailable');
        expect((await faultOf(handle.check())).code).to.equal('store_unavailable');
        expect(existsSync(file)).to.equal(false);
        await moveDatabase(away, file);
        await handle.apiKeys.create(anApiKey(4), [anEvent()]);
        await handle.check();
        const ids = (await handle.apiKeys.list(everyKeyOf())).map((key) => key.id);
        expect(ids).to.include.members([anApiKeyId(1), anApiKeyId(4)]);
      }));

  it('acknowledges no change to a file that a backup has replaced, and continues with the backup', () =>
    onFile(async (file, handle) => {
      await handle.apiKeys.create(anApiKey(1), [anEvent()]);
      await replaceByBackup(file);
      expect((await faultOf(handle.apiKeys.create(anApiKey(3), [anEvent()]))).code).to.equal(
        'store_unavailable',
      );
      await handle.apiKeys.create(anApiKey(4), [anEvent()]);
      await handle.check();
      const ids = (await handle.apiKeys.list(everyKeyOf())).map((key) => key.id);
      expect(ids).to.have.members([anApiKeyId(2), anApiKeyId(4)]);
    }));

  for (const writer of ['the event loop', 'the thread'] as const)
    it(`acknowledges no change while its log is away, and saves all when it is closed: in ${writer}`, () =>
      inFolder(async (folder) => {
        for (const ending of ['wal', 'shm']) {
          const file = join(folder, `${ending}.sqlite`);
          const handle = await openSqlite({ file });
          await handle.migrate();
          if (writer === 'the thread') await setTimeout(THREAD_STARTED);
          await handle.apiKeys.create(anApiKey(1), [anEvent()]);
          await rename(`${file}-${ending}`, `${file}-away`);
          expect((await faultOf(handle.apiKeys.create(anApiKey(2), [anEvent()]))).code).to.equal(
            'store_unavailable',
          );
          const refusal = refusalOf(await faultOf(handle.check()));
          expect([refusal?.refused, refusal?.isOver()]).to.deep.equal(['changes', false]);
          expect(await handle.apiKeys.find(anApiKeyId(1))).to.deep.equal(anApiKey(1));
          await rename(`${file}-away`, `${file}-${ending}`);
          await handle.apiKeys.create(anApiKey(3), [anEvent()]);
          await handle.check();
          expect(refusal?.isOver()).to.equal(true);
          await rm(`${file}-${ending}`);
          await faultOf(handle.apiKeys.create(anApiKey(4), [anEvent()]));
          await handle.close();
          const later = await openSqlite({ file });
          const ids = (await later.apiKeys.list(everyKeyOf())).map((key) => key.id);
          expect(ids).to.include.members([1, 2, 3, 4].map((n) => anApiKeyId(n)));
          await later.close();
        }
      }));

  it('refuses a file whose log was removed, also one without pages to copy, while another connection has it', () =>
    onFile(async (file, handle) => {
      for (const [n, pragma] of [undefined, 'wal_checkpoint(PASSIVE)'].entries()) {
        await handle.apiKeys.create(anApiKey(n), [anEvent()]);
        const other = new Database(file);
        if (pragma !== undefined) other.pragma(pragma);
        await rm(`${file}-wal`);
        const { code, message } = await faultOf(openSqlite({ file }));
        expect([code, message.includes('pinfold.sqlite-wal')], pragma).to.deep.equal([
          'store_unavailable',
          true,
        ]);
        other.close();
        await handle.close();
        handle = await openSqlite({ file });
        expect(await handle.apiKeys.find(anApiKeyId(n))).to.deep.equal(anApiKey(n));
      }
      await handle.close();
    }));

  it('no longer refuses changes after a backup has replaced a file whose log was removed', () =>
    onFile(async (file, handle) => {
      await handle.apiKeys.create(anApiKey(1), [anEvent()]);
      await rename(`${file}-wal`, `${file}-away`);
      const refusal = refusalOf(await faultOf(handle.check()));
      await rename(`${file}-away`, `${file}-wal`);
      await replaceByBackup(file);
      await faultOf(handle.check());
      await handle.check();
      expect(refusal?.isOver()).to.equal(true);
    }));

  it('finds by its check that a backup has replaced the file', () =>
    onFile(async (file, handle) => {
      await replaceByBackup(file);
      expect((await faultOf(handle.check())).code).to.equal('store_unavailable');
      await handle.check();
      expect(await handle.apiKeys.find(anApiKeyId(2))).to.deep.equal(anApiKey(2));
    }));
});

/** Replaces a database by one that has API key 2, as a restored backup would. */
async function replaceByBackup(file: string): Promise<void> {
  const backup = `${file}-backup`;
  const maker = await openSqlite({ file: backup });
  await maker.migrate();
  await maker.apiKeys.create(anApiKey(2), [anEvent()]);
  await maker.close();
  for (const ending of ['-wal', '-shm']) await rm(file + ending);
  await rename(backup, file);
}

/** Milliseconds after which a database has its thread: it starts half a second after the opening. */
const THREAD_STARTED = 3_000;

async function moveDatabase(from: string, to: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm'])
    if (existsSync(from + ending)) await rename(from + ending, to + ending);
}
