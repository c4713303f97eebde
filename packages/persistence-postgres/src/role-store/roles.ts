import type { EncodedManifest, Role, RoleStore, Version } from '@pinfold/core';
import { changingMembers, type Kept, titleFolded } from '@pinfold/core/adapter';
import { keepingInTurn, lastEventAt, rowsOf } from '../events.ts';
import type { PostgresConnection } from '../postgres-connection.ts';
import { ROLES } from '../schema.ts';
import { prepared } from '../statement.ts';
import type { Tables } from '../tables.ts';

const CHANGING = changingMembers(ROLES);

/** One role at a time. */
export function roles(
  connection: PostgresConnection,
  tables: Tables,
): Pick<RoleStore, 'load' | 'save' | 'loadManifest'> {
  const statements = {
    load: prepared(`SELECT version, ${ROLES.select} FROM ${tables.roles} WHERE id = $1`),
    save: prepared(`
      WITH saved AS (
        UPDATE ${tables.roles}
        SET version = version + 1, last_event_at = ${lastEventAt(3)}, title_folded = $4, ${ROLES.set(CHANGING, 5)}
        WHERE id = $1 AND version = $2 RETURNING last_event_at
      ), kept AS (${keepingInTurn(tables, 'saved', 3)})
      SELECT 1 FROM saved`),
    manifest: prepared(`SELECT manifest FROM ${tables.manifests} WHERE archive = $1`),
  };
  return {
    load: async (id, signal) => {
      const rows = await connection.read<Kept<Role> & { version: Version }>(statements.load, [id], signal);
      return rows[0] && { value: ROLES.read(rows[0]), version: rows[0].version };
    },
    save: async (role, loadedAt, events) => {
      const changed = [titleFolded(role), ...ROLES.values(role, CHANGING)];
      const values = [role.id, loadedAt, rowsOf(events), ...changed];
      const { count } = await connection.write(statements.save, values);
      return { kind: count === 1 ? 'saved' : 'conflict' };
    },
    loadManifest: async (archive, signal) => {
      const rows = await connection.read<{ manifest: EncodedManifest }>(
        statements.manifest,
        [archive],
        signal,
      );
      return rows[0]?.manifest;
    },
  };
}
