import type { ArchiveId, EncodedManifest, Role, RoleId, Version, Versioned } from '@pinfold/core';
import type { PostgresConnection } from '../postgres-connection.ts';
import { ROLE_COLUMNS, type RoleRow, titleFolded, versionedRoleOf } from '../rows.ts';
import { prepared, type Statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** The statements about one role. */
export interface RoleStatements {
  readonly load: Statement;
  readonly save: Statement;
  readonly manifest: Statement;
}

export function roleStatements({ roles, manifests }: Tables): RoleStatements {
  return {
    load: prepared(`SELECT ${ROLE_COLUMNS} FROM ${roles} WHERE id = $1`),
    // What a role is published with never changes, so it is not stored again.
    save: prepared(`
      UPDATE ${roles} SET
        version = version + 1, title = $3, title_folded = $4, expires_at = $5, pinned = $6, deleted_at = $7,
        password_hash = $8, generation = $9
      WHERE id = $1 AND version = $2`),
    manifest: prepared(`SELECT manifest FROM ${manifests} WHERE archive = $1`),
  };
}

export async function load(
  connection: PostgresConnection,
  statements: RoleStatements,
  id: RoleId,
  signal: AbortSignal | undefined,
): Promise<Versioned<Role> | undefined> {
  const [row] = await connection.read<RoleRow>(statements.load, [id], signal);
  return row === undefined ? undefined : versionedRoleOf(row);
}

export async function save(
  connection: PostgresConnection,
  statements: RoleStatements,
  role: Role,
  loadedAt: Version,
): Promise<{ kind: 'saved' } | { kind: 'conflict' }> {
  const { count } = await connection.write(statements.save, [
    role.id,
    loadedAt,
    role.title,
    titleFolded(role),
    role.expiresAt,
    role.pinned,
    role.deletedAt,
    role.passwordHash,
    role.generation,
  ]);
  return { kind: count === 1 ? 'saved' : 'conflict' };
}

export async function loadManifest(
  connection: PostgresConnection,
  statements: RoleStatements,
  archive: ArchiveId,
  signal: AbortSignal | undefined,
): Promise<EncodedManifest | undefined> {
  const rows = await connection.read<{ manifest: EncodedManifest }>(statements.manifest, [archive], signal);
  return rows[0]?.manifest;
}
