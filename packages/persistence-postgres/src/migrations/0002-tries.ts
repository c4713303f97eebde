import type { PostgresMigration } from '../migrate.ts';

/**
 * Tries under way, told from wrong ones: a row of `attempts` is one that nobody has settled, and goes with neither of
 * its windows alone. Tries that an older release counts beside this one are wrong from their beginning.
 */
export const tries: PostgresMigration = {
  version: 2,
  release: '0.2.0',
  oldestVersion: 1,
  sql: ({ attempts }) => `
    ALTER TABLE ${attempts} DROP CONSTRAINT attempts_role_counted_fkey;
    ALTER TABLE ${attempts} ADD COLUMN begun_at bigint NOT NULL DEFAULT 0;
    CREATE INDEX attempts_end ON ${attempts} (greatest(ends_at, role_ends_at));
  `,
};
