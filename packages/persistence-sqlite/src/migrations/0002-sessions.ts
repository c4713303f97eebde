import type { Migration } from '@pinfold/core/adapter';

/** Sessions of the management screen, and the links that begin them. */
export const sessions: Migration = {
  version: 2,
  release: '0.1.0',
  oldestVersion: 1,
  sql: `
    CREATE TABLE sessions (
      token_hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      api_key TEXT,
      started_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_end ON sessions (ends_at);

    CREATE TABLE sign_in_links (
      token_hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      ends_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sign_in_links_end ON sign_in_links (ends_at);
  `,
};
