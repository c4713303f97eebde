import type { EncodedManifest, Generation, HistoryEvent, Role, RoleStore, Version } from '@pinfold/core';
import { changingMembers, FIRST_GENERATION, type Kept, titleFolded } from '@pinfold/core/adapter';
import { keepInTurn, LAST_EVENT_AT, type Turn, turnOf } from '../events.ts';
import { refused } from '../mode.ts';
import { ROLES } from '../schema.ts';
import type { Statements } from '../sqlite-connection.ts';
import type { Prepare } from '../sqlite-file.ts';

/** A block that hides nothing is not looked into. */
const LOAD = `
  SELECT version, ${ROLES.select}, coalesce(owner_generation, ${FIRST_GENERATION}) AS accountGeneration,
    owner_blocked <> 'null' AND owner_blocked ->> 'sites' = 'hide' AS isHidden
  FROM roles LEFT JOIN (
    SELECT name AS owner, generation AS owner_generation, blocked AS owner_blocked FROM accounts
  ) ON owner = account
  WHERE id = ?`;

const CHANGING = changingMembers(ROLES);

const SAVE = `
  UPDATE roles SET version = version + 1, ${LAST_EVENT_AT}, title_folded = ?, ${ROLES.set(CHANGING, 4)}
  WHERE id = ? AND version = ? RETURNING last_event_at AS lastEventAt`;

const MANIFEST = 'SELECT manifest FROM manifests WHERE archive = ?';

interface RoleRow extends Kept<Role> {
  readonly version: Version;
  readonly accountGeneration: Generation;
  readonly isHidden: number | null;
}

/** One role at a time. */
export function roles(connection: Statements): Pick<RoleStore, 'load' | 'save' | 'loadManifest'> {
  return {
    load: (id, signal) =>
      connection.read((prepare) => {
        const row = prepare<RoleRow>(LOAD).get(id);
        if (row === undefined) return undefined;
        const { version, accountGeneration, isHidden } = row;
        return { value: ROLES.read(row), version, isHidden: isHidden === 1, accountGeneration };
      }, signal),
    save: (role, loadedAt, events, authority) =>
      connection.write(
        (prepare) =>
          refused(prepare, role.account, authority) ?? {
            kind: saveRole(prepare, role, loadedAt, events) ? 'saved' : 'conflict',
          },
      ),
    loadManifest: (archive, signal) =>
      connection.read(
        (prepare) => prepare<{ manifest: EncodedManifest }>(MANIFEST).get(archive)?.manifest,
        signal,
      ),
  };
}

/** Whether the change was stored: only one of the version that was loaded is. */
export function saveRole(
  prepare: Prepare,
  role: Role,
  loadedAt: Version,
  events: readonly HistoryEvent[],
): boolean {
  const changed = [titleFolded(role), ...ROLES.values(role, CHANGING)];
  const saved = prepare<Turn>(SAVE).get(...turnOf(events), ...changed, role.id, loadedAt);
  if (saved === undefined) return false;
  keepInTurn(prepare, events, saved);
  return true;
}
