import type { PostgresMigration } from '../migrate.ts';

/**
 * How far storage is compared with the records; `sweep_turn` is left to the release before. The index finds whose an
 * archive is.
 *
 * A publication leaves four or five dead rows. By the server's defaults a table of 100 million rows is vacuumed after 20
 * million of them. With room on its page a role that is renamed stays where its indexes find it; an Idempotency-Key gets
 * none, since its one change touches an index anyhow and comes at once.
 */
export const comparison: PostgresMigration = {
  version: 3,
  release: '0.2.0',
  oldestVersion: 1,
  sql: ({ comparison, roles, idempotencyKeys, manifests }) => `
    CREATE TABLE ${comparison} (
      one smallint PRIMARY KEY CHECK (one = 1),
      version bigint NOT NULL,
      comparison text NOT NULL
    );
    CREATE INDEX roles_archive ON ${roles} (archive);
    ALTER TABLE ${roles} SET (fillfactor = 85, ${VACUUM});
    ALTER TABLE ${idempotencyKeys} SET (${VACUUM});
    ALTER TABLE ${manifests} SET (${VACUUM}, toast.autovacuum_vacuum_scale_factor = 0.01);
  `,
};

const VACUUM = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02';
