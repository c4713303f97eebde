import type { Migration } from '@pinfold/core/adapter';

/**
 * How far storage is compared with the records; `sweep_turn` is left to the release before. The index finds whose an
 * archive is.
 */
export const comparison: Migration = {
  version: 4,
  release: '0.2.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE comparison (
      one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
      version INTEGER NOT NULL,
      comparison TEXT NOT NULL
    ) STRICT;
    CREATE INDEX roles_archive ON roles (archive);
  `,
};
