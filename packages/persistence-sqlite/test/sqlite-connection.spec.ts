import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKeyStore, Clock } from '@pinfold/core';
import { STORE_SCHEMA } from '@pinfold/core/stores';
import { anApiKey, anApiKeyId, anEvent, everyKeyOf, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { faultOf } from '@pinfold/test-contracts/internal';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SqliteDatabase } from '../src/database/sqlite-database.ts';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import type { SqliteFile } from '../src/engine/sqlite-file.ts';
import { inFolder } from './in-folder.ts';
import { storesOver } from './stores-over.ts';

interface OpenDatabase {
  readonly file: string;
  readonly connection: SqliteConnection;
  readonly keys: ApiKeyStore;
}

/** A migrated database of one connection, which waits by `sleep`. */
function withDatabase(sleep: Clock['sleep'], work: (opened: OpenDatabase) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    const file = join(folder, 'pinfold.sqlite');
    const connection = new SqliteConnection(file, sleep);
    await storesOver(connection).migrate();
    await work({ file, connection, keys: storesOver(connection).apiKeys });
    connection.close();
  });
}

const neverWait: Clock['sleep'] = () => Promise.reject(new Error('nothing to wait for'));

/** A connection that counts as another process for locks. */
function locking(file: string, kind: 'write' | 'all'): Database.Database {
  const database = new Database(file, { timeout: 0 });
  if (kind === 'all') database.pragma('locking_mode = EXCLUSIVE');
  database.exec('BEGIN EXCLUSIVE');
  database.exec('UPDATE schema_state SET version = version');
  return database;
}

/** Lets a connection refuse every write until it is opened again. */
function makeReadOnly(connection: SqliteConnection): Promise<unknown> {
  return connection.read(({ prepare }) => prepare('PRAGMA query_only = ON').run());
}

function makeRoom(connection: SqliteConnection, pages: number): Promise<unknown> {
  return connection.read(({ prepare }) => prepare(`PRAGMA max_page_count = ${pages}`).get());
}

describe('SqliteConnection and power cuts', () => {
  it('has the setting that forces every change to the disk, even for a cleanup', () =>
    withDatabase(neverWait, async ({ connection }) => {
      for (const usesReserve of [false, true]) {
        const levelIn = ({ prepare }: SqliteFile) => prepare<object>('PRAGMA synchronous').get();
        const level = await connection.write(levelIn, usesReserve);
        expect(level, `${usesReserve}`).to.deep.equal({ synchronous: 2 });
      }
    }));
});

describe('SqliteConnection and changes', () => {
  it('reports each committed transaction, and nothing else', () =>
    inFolder(async (folder) => {
      let changes = 0;
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), neverWait, () => {
        changes += 1;
      });
      await storesOver(connection).migrate();
      changes = 0;
      await connection.write(({ prepare }) => prepare('CREATE TABLE notes (text TEXT)').run());
      await connection.write(({ prepare }) => prepare('INSERT INTO notes VALUES (1)').run());
      expect(changes).to.equal(2);
      await connection.read(({ prepare }) => prepare('SELECT * FROM notes').all());
      await connection.read(({ prepare }) => prepare('SELECT * FROM notes').all());
      await rejectionOf(connection.write(({ prepare }) => prepare('INSERT INTO absent VALUES (1)').run()));
      expect(changes).to.equal(2);
      connection.close();
    }));
});

describe('SqliteConnection, while another process holds the lock', () => {
  it('waits in small steps until the lock is free', async () => {
    const waits: number[] = [];
    let holder: Database.Database | undefined;
    const sleep: Clock['sleep'] = async (length) => {
      waits.push(length);
      if (waits.length === 20) holder?.exec('COMMIT');
    };
    await withDatabase(sleep, async ({ file, keys }) => {
      holder = locking(file, 'write');
      expect(await keys.create(anApiKey(1), [anEvent()])).to.deep.equal({ kind: 'created' });
      expect(waits).to.have.lengthOf(20);
      expect(Math.max(...waits)).to.be.at.most(20);
      holder.close();
    });
  });

  it('is unavailable after five seconds, without an effect', async () => {
    let waited = 0;
    const sleep: Clock['sleep'] = async (length) => {
      waited += length;
    };
    await withDatabase(sleep, async ({ file, keys }) => {
      const holder = locking(file, 'write');
      const { code, cause } = await faultOf(keys.create(anApiKey(1), [anEvent()]));
      expect(code).to.equal('store_unavailable');
      expect(cause).to.have.property('code', 'SQLITE_BUSY');
      expect(waited).to.be.within(4_900, 5_000);
      holder.exec('COMMIT');
      holder.close();
      expect(await keys.find(anApiKeyId(1))).to.equal(undefined);
    });
  });

  it('can read while another writes', () =>
    withDatabase(neverWait, async ({ file, keys }) => {
      await keys.create(anApiKey(1), [anEvent()]);
      const holder = locking(file, 'write');
      expect(await keys.find(anApiKeyId(1))).to.deep.equal(anApiKey(1));
      holder.close();
    }));

  it('ends a wait when its signal is aborted, with the reason', () => {
    const reason = new Error('gone');
    let caller = new AbortController();
    const sleep: Clock['sleep'] = async (_, signal) => {
      caller.abort(reason);
      signal?.throwIfAborted();
    };
    return withDatabase(sleep, async ({ file, connection }) => {
      connection.close();
      const holder = locking(file, 'all');
      const other = new SqliteConnection(file, sleep);
      for (const wait of [
        () => storesOver(other).apiKeys.find(anApiKeyId(1), caller.signal),
        () => new SqliteDatabase(other, STORE_SCHEMA).openSnapshot(caller.signal),
      ]) {
        caller = new AbortController();
        expect(await rejectionOf(Promise.resolve(wait()))).to.equal(reason);
      }
      holder.close();
      other.close();
    });
  });
});

describe('SqliteConnection with a failing disk', () => {
  it('is unavailable while the disk is full, loses nothing, and works again once there is room', () =>
    withDatabase(neverWait, async ({ connection, keys }) => {
      await keys.create(anApiKey(1), [anEvent()]);
      await makeRoom(connection, 1);
      const label = 'x'.repeat(100_000);
      const { code, cause } = await faultOf(keys.create(anApiKey(2, { label }), [anEvent()]));
      expect(code).to.equal('store_unavailable');
      expect(cause).to.have.nested.property('cause.code', 'SQLITE_FULL');
      expect((await keys.list(everyKeyOf())).map((key) => key.id)).to.deep.equal([anApiKeyId(1)]);
      await makeRoom(connection, 1_000_000);
      expect(await keys.create(anApiKey(2, { label }), [anEvent()])).to.deep.equal({ kind: 'created' });
    }));

  it('is unavailable to writes while the file is read-only, and works again afterwards', () =>
    withDatabase(neverWait, async ({ connection, keys }) => {
      await makeReadOnly(connection);
      const { code, cause } = await faultOf(keys.create(anApiKey(1), [anEvent()]));
      expect(code).to.equal('store_unavailable');
      expect(cause).to.have.property('code', 'SQLITE_READONLY');
      expect(await keys.create(anApiKey(1), [anEvent()])).to.deep.equal({ kind: 'created' });
    }));

  it('is unavailable while the folder is missing, and works again afterwards', () =>
    inFolder(async (parent) => {
      const folder = join(parent, 'data');
      await mkdir(folder);
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), neverWait);
      await storesOver(connection).migrate();
      const { apiKeys: keys } = storesOver(connection);
      await makeReadOnly(connection);
      await rename(folder, join(parent, 'elsewhere'));
      expect((await faultOf(keys.create(anApiKey(1), [anEvent()]))).code).to.equal('store_unavailable');
      const { code, cause } = await faultOf(keys.find(anApiKeyId(1)));
      expect(code).to.equal('store_unavailable');
      expect(cause).to.have.property('code', 'ENOENT');
      await rename(join(parent, 'elsewhere'), folder);
      expect(await keys.create(anApiKey(1), [anEvent()])).to.deep.equal({ kind: 'created' });
      connection.close();
    }));

  it('throws a bug unchanged, and undoes earlier statements', () =>
    withDatabase(neverWait, async ({ connection, keys }) => {
      const mistake = new RangeError('ours');
      const work = connection.write(({ prepare }) => {
        prepare('DELETE FROM schema_state').run();
        throw mistake;
      });
      expect(await rejectionOf(work)).to.equal(mistake);
      const unprepared = await rejectionOf(connection.read(({ prepare }) => prepare('SELECT nothing').get()));
      expect(unprepared).to.have.property('code', 'SQLITE_ERROR');
      const rows = await connection.read(({ prepare }) => prepare('SELECT * FROM schema_state').all());
      expect(rows).to.have.lengthOf(1);
      expect(await keys.list(everyKeyOf())).to.deep.equal([]);
    }));
});
