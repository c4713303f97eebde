import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA_VERSIONS } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { readRelease } from '../../src/release.ts';
import { type Machine, openMachine } from '../servers/served.ts';

const NEWEST = SCHEMA_VERSIONS.at(-1)?.version;

describe('a command on a database with another schema', () => {
  let machine: Machine;
  let file: string;

  beforeEach(async () => {
    machine = await openMachine();
    file = join(machine.folder, 'data', 'pinfold.sqlite');
    emptyDatabase(file);
  });

  /** Removes all tables, so that the database is empty. */
  function emptyDatabase(path: string): void {
    const database = new DatabaseSync(path);
    const names = database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    database.exec('PRAGMA foreign_keys = off');
    for (const row of names.all()) database.exec(`DROP TABLE "${String(row.name)}"`);
    database.close();
  }

  /** Marks the database as one of an unknown, newer release. */
  function markAsNewer(): void {
    const database = new DatabaseSync(file);
    database.exec(`
      CREATE TABLE schema_state (
        one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
        version INTEGER NOT NULL, oldest_version INTEGER NOT NULL, oldest_release TEXT NOT NULL
      ) STRICT;
      INSERT INTO schema_state VALUES (1, 17, 17, '9.0.0')`);
    database.close();
  }

  function readVersion(): unknown {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare('SELECT version FROM schema_state').get()?.version;
    } finally {
      database.close();
    }
  }

  it('does not change the schema of a later release, and gives advice', async () => {
    markAsNewer();
    for (const command of [['accounts', 'list'], ['keys', 'create'], ['cleanup'], ['migrate'], ['manage']]) {
      const { code, err } = await machine.run(...command);
      expect(code, command.join(' ')).not.to.equal(0);
      expect(err).to.include(
        `needs release 9.0.0 or a newer one: run that one, or export with it and import into an empty database; this is ${await readRelease()}`,
      );
      expect(readVersion()).to.equal(17);
    }
  });

  it('migrates an empty database', async () => {
    expect((await machine.run('keys', 'create')).code).to.equal(0);
    expect(readVersion()).to.equal(NEWEST);
  });

  it('migrates an empty database by pinfold migrate, even repeatedly', async () => {
    for (let times = 0; times < 2; times += 1) {
      expect((await machine.run('migrate', '--json')).out).to.equal('{"migrated":true}\n');
    }
    expect(readVersion()).to.equal(NEWEST);
  });
});
