import type {
  Credential,
  EncodedManifest,
  HistoryEvent,
  LoadedRole,
  Role,
  RoleStore,
  SaveAuthority,
  Version,
} from '@pinfold/core';
import { changingMembers, FIRST_GENERATION, type StoredRow, titleFolded } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../../engine/postgres-connection.ts';
import { prepared, type Statement } from '../../engine/statement.ts';
import { ROLES } from '../../schema/columns.ts';
import type { Tables } from '../../schema/tables.ts';
import { keepingInTurn, lastEventAt, rowsOf } from '../events.ts';
import {
  credentialRefusals,
  credentialValues,
  hasEnded,
  mayChange,
  refusals,
  takesChanges,
} from '../mode.ts';

/** A row with the columns of {@link loadingRoles}. */
export type RoleRow = StoredRow<Role> & Omit<LoadedRole, 'value'>;

/** The beginning of a statement that reads roles with what their viewers need of the account. */
export function loadingRoles(tables: Tables, further = ''): string {
  return `
    SELECT version, ${ROLES.select}, coalesce(owner_generation, ${FIRST_GENERATION}) AS "accountGeneration",
      coalesce(owner_blocked <> 'null' AND owner_blocked::json ->> 'sites' = 'hide', false) AS "isHidden" ${further}
    FROM ${tables.roles} LEFT JOIN (
      SELECT name AS owner, generation AS owner_generation, blocked AS owner_blocked FROM ${tables.accounts}
    ) AS owners ON owner = account`;
}

export function readRole(row: RoleRow): LoadedRole {
  const { version, isHidden, accountGeneration } = row;
  return { value: ROLES.read(row), version, isHidden, accountGeneration };
}

const CHANGING = changingMembers(ROLES);

/** Stores a changed role with its events if its version is unchanged and it may change. Returns one row then. */
export function savingRole(tables: Tables): Statement {
  return prepared(`
    WITH saved AS (
      UPDATE ${tables.roles}
      SET version = version + 1, last_event_at = ${lastEventAt(3)}, title_folded = $7, ${ROLES.set(CHANGING, 8)}
      WHERE id = $1 AND version = $2
        AND ($4::text = 'operator'
          OR (($4 = 'viewing' OR ${takesChanges(tables)}) AND ${mayChange(tables, 'account')}))
        AND NOT ${hasEnded(tables, 5)}
      RETURNING last_event_at
    ), kept AS (${keepingInTurn(tables, 'saved', 3)})
    SELECT 1 FROM saved`);
}

/** The values of its parameters. */
export function savedValues(
  role: Role,
  loadedAt: Version,
  events: readonly HistoryEvent[],
  authority: SaveAuthority,
  credential: Credential = {},
): readonly unknown[] {
  const by = [authority, ...credentialValues(credential)];
  return [role.id, loadedAt, rowsOf(events), ...by, titleFolded(role), ...ROLES.values(role, CHANGING)];
}

export function roles(
  connection: PostgresConnection,
  tables: Tables,
): Pick<RoleStore, 'load' | 'save' | 'loadManifest'> {
  const refused = refusals(tables);
  const refusedCredential = credentialRefusals(connection, tables);
  const statements = {
    load: prepared(`${loadingRoles(tables)} WHERE id = $1`),
    save: savingRole(tables),
    manifest: prepared(`SELECT manifest FROM ${tables.manifests} WHERE archive = $1`),
  };
  return {
    load: async (id, signal) => {
      const [row] = await connection.read<RoleRow>(statements.load, [id], signal);
      return row && readRole(row);
    },
    save: async (role, loadedAt, events, authority = 'account', credential = {}) => {
      const { count } = await connection.write(
        statements.save,
        savedValues(role, loadedAt, events, authority, credential),
      );
      if (count === 1) return { kind: 'saved' };
      const refusal =
        (await refusedCredential(credential)) ?? (await refused(connection.run, role.account, authority));
      return refusal ?? { kind: 'conflict' };
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
