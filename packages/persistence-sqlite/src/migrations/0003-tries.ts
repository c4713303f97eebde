import type { Migration } from '@pinfold/core/adapter';

/**
 * Tries under way, told from wrong ones: a row of `attempts` is one that nobody has settled, and goes with neither of
 * its windows alone. Tries that an older release counts beside this one are wrong from their beginning.
 */
export const tries: Migration = {
  version: 3,
  release: '0.2.0',
  oldestVersion: 1,
  sql: `
    DROP TABLE attempts;
    CREATE TABLE attempts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      address_window INTEGER NOT NULL,
      role_window INTEGER NOT NULL,
      begun_at INTEGER NOT NULL DEFAULT 0,
      ends_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX attempts_of_address ON attempts (address_window, begun_at);
    CREATE INDEX attempts_of_role ON attempts (role_window, begun_at);
    CREATE INDEX attempts_end ON attempts (ends_at);
  `,
};
