import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { type Machine, openMachine } from '../servers/served.ts';

describe('a command on a database of another state', () => {
  let machine: Machine;
  let file: string;

  beforeEach(async () => {
    machine = await openMachine();
    file = join(machine.folder, 'data', 'pinfold.sqlite');
    emptied(file);
  });

  /** Removes all tables, and with them every trace of a release. */
  function emptied(path: string): void {
    const database = new DatabaseSync(path);
    const names = database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    database.exec('PRAGMA foreign_keys = off');
    for (const row of names.all()) database.exec(`DROP TABLE "${String(row.name)}"`);
    database.close();
  }

  /** Makes it the database of a release before the first. */
  function makeOlder(): void {
    const database = new DatabaseSync(file);
    database.exec(`
      CREATE TABLE schema_state (
        one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
        version INTEGER NOT NULL, oldest_version INTEGER NOT NULL, oldest_release TEXT NOT NULL
      ) STRICT;
      INSERT INTO schema_state VALUES (1, 0, 0, '0.0.1')`);
    database.close();
  }

  function version(): unknown {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare('SELECT version FROM schema_state').get()?.version;
    } finally {
      database.close();
    }
  }

  it('leaves the schema of an older release, and says what to run', async () => {
    makeOlder();
    for (const command of [['accounts', 'list'], ['keys', 'create'], ['history'], ['cleanup'], ['manage']]) {
      const { code, err } = await machine.run(...command);
      expect(code, command.join(' ')).not.to.equal(0);
      expect(err).to.match(/run "pinfold migrate", or start this release with "pinfold serve"\n$/);
      expect(version()).to.equal(0);
    }
  });

  it('migrates it by pinfold migrate, and then does what was asked for', async () => {
    makeOlder();
    expect((await machine.run('migrate')).code).to.equal(0);
    expect(version()).to.be.above(0);
    expect((await machine.run('migrate', '--json')).out).to.equal('{"migrated":true}\n');
    expect((await machine.run('keys', 'create')).code).to.equal(0);
  });

  it('says on standard error from which version it migrates, and when it has done so', async () => {
    const version16 = join(import.meta.dirname, '../../../persistence-sqlite/test/version-16.sql');
    const database = new DatabaseSync(file);
    database.exec(readFileSync(version16, 'utf8'));
    database.close();
    expect(await machine.run('migrate')).to.deep.include({
      out: 'The database is up to date.\n',
      err:
        'pinfold: migrating the database from version 16 to 17, with 4 publications\n' +
        'pinfold: migrated from version 16 to 17, with 4 publications\n',
    });
  });

  it('prepares an empty one', async () => {
    expect((await machine.run('keys', 'create')).code).to.equal(0);
    expect(version()).to.be.above(0);
  });
});
