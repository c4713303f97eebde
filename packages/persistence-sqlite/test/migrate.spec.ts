import { join } from 'node:path';
import { isFault } from '@pinfold/core';
import type { Migration } from '@pinfold/core/adapter';
import { anApiKey, anEvent, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { SqliteConnection } from '../src/engine/sqlite-connection.ts';
import { openSqlite } from '../src/index.ts';
import { checkSchema, migrate } from '../src/schema/migrate.ts';
import { MIGRATIONS, NEWEST_VERSION as NEWEST } from '../src/schema/migrations.ts';
import { inFolder } from './in-folder.ts';

/** What later releases may bring: a step that older ones can live with, and one they cannot. */
const ADDITION: Migration = {
  version: NEWEST + 1,
  release: '7.1.0',
  oldestVersion: NEWEST,
  sql: 'ALTER TABLE roles ADD COLUMN mood TEXT; CREATE TABLE moods (mood TEXT PRIMARY KEY) STRICT;',
};
const BREAK: Migration = {
  version: NEWEST + 2,
  release: '8.0.0',
  oldestVersion: NEWEST + 1,
  sql: 'ALTER TABLE roles DROP COLUMN mood;',
};

async function onFile(play: (open: () => SqliteConnection) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const opened: SqliteConnection[] = [];
    await play(() => {
      const connection = new SqliteConnection(join(folder, 'pinfold.sqlite'), async () => {});
      opened.push(connection);
      return connection;
    });
    for (const connection of opened) connection.close();
  });
}

function schemaOf(connection: SqliteConnection): Promise<unknown> {
  return connection.read((prepare) => ({
    state: prepare('SELECT version, oldest_version, oldest_release FROM schema_state').get(),
    tables: prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all(),
  }));
}

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const reason = await rejectionOf(promise);
  if (!isFault(reason)) throw reason;
  expect(reason.code).to.equal('store_unavailable');
  return reason.message;
}

describe('migrate', () => {
  it('numbers its steps without a gap', () => {
    const first = MIGRATIONS[0]?.version ?? 0;
    expect(MIGRATIONS.map(({ version }) => version)).to.deep.equal(MIGRATIONS.map((_, n) => first + n));
    for (const { version, oldestVersion } of MIGRATIONS) expect(oldestVersion).to.be.within(first, version);
  });

  it('makes an empty file ready, and changes nothing when it is done again', () =>
    onFile(async (open) => {
      const connection = open();
      await migrate(connection);
      const schema = await schemaOf(connection);
      await migrate(connection);
      await migrate(open());
      expect(await schemaOf(connection)).to.deep.equal(schema);
    }));

  it('is safe when many handles do it at once', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'pinfold.sqlite');
      const handles = await Promise.all(Array.from({ length: 10 }, () => openSqlite({ file })));
      await Promise.all(handles.map((handle) => handle.migrate()));
      const outcomes = await Promise.all(
        handles.map((handle, n) => handle.apiKeys.createFirst(anApiKey(n), [anEvent()])),
      );
      expect(outcomes.filter(({ kind }) => kind === 'created')).to.have.lengthOf(1);
      await Promise.all(handles.map((handle) => handle.close()));
    }));

  it('lets an older release run while the newest step allows it, and names the release that is needed after', () =>
    onFile(async (open) => {
      const older = open();
      await migrate(older);
      await migrate(open(), [...MIGRATIONS, ADDITION]);
      await migrate(older);
      await checkSchema(older, undefined);
      const { version: oldest_version, release: oldest_release } = MIGRATIONS.at(-1) as Migration;
      const added = { version: ADDITION.version, oldest_version, oldest_release };
      expect(await schemaOf(older)).to.deep.include({ state: added });
      await migrate(open(), [...MIGRATIONS, ADDITION, BREAK]);
      const broken = { version: BREAK.version, oldest_version: ADDITION.version };
      expect(await schemaOf(older)).to.deep.include({
        state: { ...broken, oldest_release: ADDITION.release },
      });
      for (const refused of [() => migrate(open()), () => checkSchema(older, undefined)]) {
        expect(await refusalOf(refused())).to.contain(ADDITION.release);
      }
    }));

  it('does a step whole or not at all', () =>
    onFile(async (open) => {
      const connection = open();
      await migrate(connection);
      const schema = await schemaOf(connection);
      const broken: Migration = { ...BREAK, sql: 'DROP TABLE attempts; DROP TABLE nothing_of_that_name;' };
      expect(await rejectionOf(migrate(connection, [...MIGRATIONS, ADDITION, broken]))).to.have.property(
        'code',
        'SQLITE_ERROR',
      );
      expect(await schemaOf(connection)).to.deep.equal(schema);
    }));
});
