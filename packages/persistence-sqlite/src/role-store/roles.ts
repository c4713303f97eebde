import type { EncodedManifest, Role, RoleStore, Version } from '@pinfold/core';
import { changingMembers, type Kept, titleFolded } from '@pinfold/core/adapter';
import { ROLES } from '../schema.ts';
import type { Statements } from '../sqlite-connection.ts';

const LOAD = `SELECT version, ${ROLES.select} FROM roles WHERE id = ?`;

const CHANGING = changingMembers(ROLES);

const SAVE = `
  UPDATE roles SET version = version + 1, title_folded = ?, ${ROLES.set(CHANGING, 2)}
  WHERE id = ? AND version = ?`;

const MANIFEST = 'SELECT manifest FROM manifests WHERE archive = ?';

type RoleRow = Kept<Role> & { readonly version: Version };

/** One role at a time. */
export function roles(connection: Statements): Pick<RoleStore, 'load' | 'save' | 'loadManifest'> {
  return {
    load: (id, signal) =>
      connection.read((prepare) => {
        const row = prepare<RoleRow>(LOAD).get(id);
        return row && { value: ROLES.read(row), version: row.version };
      }, signal),
    save: (role, loadedAt) =>
      connection.write((prepare) => {
        const values = [titleFolded(role), ...ROLES.values(role, CHANGING), role.id, loadedAt];
        return { kind: prepare(SAVE).run(...values).changes === 1 ? 'saved' : 'conflict' };
      }),
    loadManifest: (archive, signal) =>
      connection.read(
        (prepare) => prepare<{ manifest: EncodedManifest }>(MANIFEST).get(archive)?.manifest,
        signal,
      ),
  };
}
