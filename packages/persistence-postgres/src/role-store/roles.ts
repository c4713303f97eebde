import type { EncodedManifest, Role, RoleStore, Version } from '@pinfold/core';
import { changingMembers, type Kept, titleFolded } from '@pinfold/core/adapter';
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
      UPDATE ${tables.roles} SET version = version + 1, title_folded = $3, ${ROLES.set(CHANGING, 4)}
      WHERE id = $1 AND version = $2`),
    manifest: prepared(`SELECT manifest FROM ${tables.manifests} WHERE archive = $1`),
  };
  return {
    load: async (id, signal) => {
      const rows = await connection.read<Kept<Role> & { version: Version }>(statements.load, [id], signal);
      return rows[0] && { value: ROLES.read(rows[0]), version: rows[0].version };
    },
    save: async (role, loadedAt) => {
      const values = [role.id, loadedAt, titleFolded(role), ...ROLES.values(role, CHANGING)];
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
