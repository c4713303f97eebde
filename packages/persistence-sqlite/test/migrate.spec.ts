import { join } from 'node:path';
import { after, type Filename, isFault, minutes, type RoleId } from '@pinfold/core';
import { fingerprintOf, type Migration } from '@pinfold/core/adapter';
import {
  aManifest,
  anApiKey,
  anEvent,
  aRole,
  aRoleId,
  rejectionOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openSqlite } from '../src/index.ts';
import { checkSchema, migrate } from '../src/migrate.ts';
import { MIGRATIONS } from '../src/migrations.ts';
import { roles } from '../src/role-store/roles.ts';
import { sqliteAccountStore } from '../src/sqlite-account-store.ts';
import { sqliteAttemptCounter } from '../src/sqlite-attempt-counter.ts';
import { SqliteConnection } from '../src/sqlite-connection.ts';
import { inFolder } from './sqlite-subject.ts';

const NEWEST = MIGRATIONS.length;

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
  it('numbers its steps from 1 without a gap', () => {
    expect(MIGRATIONS.map((migration) => migration.version)).to.deep.equal(MIGRATIONS.map((_, n) => n + 1));
    for (const { version, oldestVersion } of MIGRATIONS) expect(oldestVersion).to.be.within(1, version);
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

  it('goes forward from any version, and keeps what is stored', () =>
    onFile(async (open) => {
      const connection = open();
      await migrate(connection);
      await migrate(connection, [...MIGRATIONS, ADDITION, BREAK]);
      expect(await schemaOf(connection)).to.deep.include({
        state: { version: NEWEST + 2, oldest_version: NEWEST + 1, oldest_release: ADDITION.release },
      });
    }));

  it('finds out of what an older release has published how large it was, what it was, and whose', () =>
    onFile(async (open) => {
      const connection = open();
      await migrate(connection, MIGRATIONS.slice(0, 1));
      const { id, account, archive, idempotencyKey, publishedAt, sha256 } = aRole(1);
      const fingerprint = fingerprintOf(sha256, 'site.zip' as Filename, null);
      await connection.writeSchema((prepare) => {
        prepare(`
          INSERT INTO roles (id, version, account, archive, idempotency_key, original_filename, file_count, size,
            published_at, pinned, generation, title_folded)
          VALUES (?, 1, ?, ?, ?, 'site.zip', 1, 300, ?, 0, 1, '')`).run(
          id,
          account,
          archive,
          idempotencyKey,
          publishedAt,
        );
        prepare('INSERT INTO manifests VALUES (?, ?)').run(archive, aManifest(1));
        prepare(`
          INSERT INTO idempotency_keys (account, key, fingerprint, token, begun_at, held_until, role, warnings)
          VALUES (?, ?, ?, 't', 0, 0, ?, '[]')`).run(account, idempotencyKey, fingerprint, id);
      });
      await migrate(connection);
      const role = (await roles(connection).load(id))?.value;
      expect(role).to.include({ archiveBytes: 141, sha256 });
      const owner = (await sqliteAccountStore(connection).load(account))?.value;
      expect(owner).to.deep.include({ blocked: null, lastPublishedAt: publishedAt });
    }));

  it('takes over what an older release has counted, and counts beside it', () =>
    onFile(async (open) => {
      const connection = open();
      await migrate(connection, MIGRATIONS.slice(0, 2));
      const countAsBefore = (role: RoleId) =>
        connection.writeSchema((prepare) => {
          const window = prepare<{ id: number }>(
            `INSERT INTO attempt_windows (role, counted, ends_at, tries) VALUES (?, 'from a', ?, 1) RETURNING id`,
          ).get(role, after(START, minutes(5)));
          prepare('INSERT INTO attempts (address_window, role_window) VALUES (?, 0)').run(window?.id);
        });
      await countAsBefore(aRoleId(1));
      await migrate(connection);
      await countAsBefore(aRoleId(2));
      const attempts = sqliteAttemptCounter(connection);
      for (const role of [aRoleId(1), aRoleId(2)]) {
        const attempt = { role, address: 'a', now: START, window: minutes(5), perAddress: 1, perRole: 9 };
        expect((await attempts.begin(attempt)).kind).to.equal('limited');
      }
    }));

  it('lets an older release run while the newest step allows it', () =>
    onFile(async (open) => {
      await migrate(open(), [...MIGRATIONS, ADDITION]);
      const older = open();
      await migrate(older);
      await checkSchema(older, undefined);
      expect(await schemaOf(older)).to.deep.include({
        state: {
          version: NEWEST + 1,
          oldest_version: NEWEST,
          oldest_release: MIGRATIONS[NEWEST - 1]?.release,
        },
      });
    }));

  it('refuses a release that is too old, naming the one that is needed', () =>
    onFile(async (open) => {
      const running = open();
      await migrate(running);
      await migrate(open(), [...MIGRATIONS, ADDITION, BREAK]);
      expect(await refusalOf(migrate(open()))).to.contain(ADDITION.release);
      expect(await refusalOf(checkSchema(running, undefined)), 'a process that runs').to.contain(
        ADDITION.release,
      );
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
