import type { ArchiveId, EncodedManifest, Role, RoleId, Version, Versioned } from '@pinfold/core';
import { ROLE_COLUMNS, type RoleRow, roleParameters, versionedRoleOf } from '../rows.ts';
import type { Prepare } from '../sqlite-file.ts';

const LOAD = `SELECT ${ROLE_COLUMNS.join(', ')} FROM roles WHERE id = ?`;

/** What a role is published with never changes, so it is not stored again. */
const SAVE = `
  UPDATE roles SET
    version = version + 1, title = @title, title_folded = @titleFolded, expires_at = @expiresAt, pinned = @pinned,
    deleted_at = @deletedAt, password_hash = @passwordHash, generation = @generation
  WHERE id = @id AND version = @loadedAt`;

const MANIFEST = 'SELECT manifest FROM manifests WHERE archive = ?';

export function load(prepare: Prepare, id: RoleId): Versioned<Role> | undefined {
  const row = prepare<RoleRow>(LOAD).get(id);
  return row === undefined ? undefined : versionedRoleOf(row);
}

export function save(
  prepare: Prepare,
  role: Role,
  loadedAt: Version,
): { kind: 'saved' } | { kind: 'conflict' } {
  const { changes } = prepare(SAVE).run({ ...roleParameters(role), loadedAt });
  return { kind: changes === 1 ? 'saved' : 'conflict' };
}

export function loadManifest(prepare: Prepare, archive: ArchiveId): EncodedManifest | undefined {
  return prepare<{ manifest: EncodedManifest }>(MANIFEST).get(archive)?.manifest;
}
