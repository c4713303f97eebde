import type { Migration } from '@pinfold/core/adapter';
import { firstSchema } from '@pinfold/core/internal';

export const NEW_FEED = 'lower(hex(randomblob(16)))';

/** The schema of the first release. Rows of `attempts` are tries of passwords that are not settled yet. */
const firstRelease: Migration = {
  version: 16,
  release: '0.1.0',
  oldestVersion: 16,
  sql: `
    ${firstSchema({
      text: 'TEXT',
      integer: 'INTEGER',
      one: 'one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1)',
      table: 'STRICT',
      clustered: 'STRICT, WITHOUT ROWID',
      flag: (column, byDefault) => {
        const defaultValue = byDefault === undefined ? '' : `DEFAULT ${Number(byDefault)} `;
        return `INTEGER NOT NULL ${defaultValue}CHECK (${column} IN (0, 1))`;
      },
      isSet: (column) => `${column} = 1`,
      isNotSet: (column) => `${column} = 0`,
      undeleted: (columns) => `(${columns}, expires_at, deleted_at) WHERE deleted_at IS NULL`,
      endedAt: 'GENERATED ALWAYS AS (coalesce(min(deleted_at, expires_at), deleted_at, expires_at)) VIRTUAL',
      newFeed: NEW_FEED,
    })}
    CREATE INDEX roles_ending ON roles (account, coalesce(9007199254740991 - expires_at, 0), id, expires_at, deleted_at)
      WHERE deleted_at IS NULL;
    CREATE INDEX roles_in_service ON roles (account, expires_at, archive_bytes) WHERE deleted_at IS NULL;
    CREATE INDEX roles_sha256 ON roles (sha256, id) WHERE deleted_at IS NULL;
    CREATE UNIQUE INDEX events_number ON events (number);
    CREATE UNIQUE INDEX events_account_number ON events (account, account_number) WHERE account IS NOT NULL;

    CREATE TABLE attempt_windows (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      role TEXT NOT NULL,
      counted TEXT NOT NULL,
      ends_at INTEGER NOT NULL,
      tries INTEGER NOT NULL,
      UNIQUE (role, counted)
    ) STRICT;
    CREATE INDEX attempt_windows_end ON attempt_windows (ends_at);

    CREATE TABLE attempts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      address_window INTEGER NOT NULL,
      role_window INTEGER NOT NULL,
      begun_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX attempts_of_address ON attempts (address_window, begun_at);
    CREATE INDEX attempts_of_role ON attempts (role_window, begun_at);
    CREATE INDEX attempts_end ON attempts (ends_at);
  `,
};

/** All steps in order of version. Add new ones at the end; never change one that was released. */
export const MIGRATIONS: readonly Migration[] = [firstRelease];

export const NEWEST_VERSION: number = MIGRATIONS.at(-1)?.version ?? 0;
