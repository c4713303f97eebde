import type { EncodedManifest, HistoryEvent, Role, RoleStore, Version } from '@pinfold/core';
import { changingMembers, type Kept, titleFolded } from '@pinfold/core/adapter';
import { keepingInTurn, lastEventAt, rowsOf } from '../events.ts';
import type { PostgresConnection } from '../postgres-connection.ts';
import { ROLES } from '../schema.ts';
import { prepared, type Statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

const CHANGING = changingMembers(ROLES);

/** Stores a changed role with its events, if nobody changed it since; it answers one row then. */
export function savingRole(tables: Tables): Statement {
  return prepared(`
    WITH saved AS (
      UPDATE ${tables.roles}
      SET version = version + 1, last_event_at = ${lastEventAt(3)}, title_folded = $4, ${ROLES.set(CHANGING, 5)}
      WHERE id = $1 AND version = $2 RETURNING last_event_at
    ), kept AS (${keepingInTurn(tables, 'saved', 3)})
    SELECT 1 FROM saved`);
}

/** What its parameters are bound to. */
export function savedValues(
  role: Role,
  loadedAt: Version,
  events: readonly HistoryEvent[],
): readonly unknown[] {
  return [role.id, loadedAt, rowsOf(events), titleFolded(role), ...ROLES.values(role, CHANGING)];
}

/** One role at a time. */
export function roles(
  connection: PostgresConnection,
  tables: Tables,
): Pick<RoleStore, 'load' | 'save' | 'loadManifest'> {
  const statements = {
    load: prepared(`SELECT version, ${ROLES.select} FROM ${tables.roles} WHERE id = $1`),
    save: savingRole(tables),
    manifest: prepared(`SELECT manifest FROM ${tables.manifests} WHERE archive = $1`),
  };
  return {
    load: async (id, signal) => {
      const rows = await connection.read<Kept<Role> & { version: Version }>(statements.load, [id], signal);
      return rows[0] && { value: ROLES.read(rows[0]), version: rows[0].version };
    },
    save: async (role, loadedAt, events) => {
      const { count } = await connection.write(statements.save, savedValues(role, loadedAt, events));
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
