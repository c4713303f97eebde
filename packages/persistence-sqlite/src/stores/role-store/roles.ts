import type {
  EncodedManifest,
  Generation,
  HistoryEvent,
  LoadedRole,
  Role,
  RoleStore,
  Version,
} from '@pinfold/core';
import { changingMembers, FIRST_GENERATION, type StoredRow, titleFolded } from '@pinfold/core/adapter';
import { isPromise } from '@pinfold/core/internal';
import type { Statements } from '../../engine/sqlite-connection.ts';
import type { Prepare } from '../../engine/sqlite-file.ts';
import { ROLES } from '../../schema/columns.ts';
import { insertSequenced, LAST_EVENT_AT, type SequencedEvent, sequenced } from '../events.ts';
import { refused, refusedCredential } from '../mode.ts';

/** A role, and the generation of its account, below zero while its sites are hidden: one lookup of its row for both. */
export const LOADED: string = `version, ${ROLES.select}, (
    SELECT CASE WHEN blocked <> 'null' AND blocked ->> 'sites' = 'hide' THEN -generation ELSE generation END
    FROM accounts WHERE name = roles.account
  ) AS owner`;
const LOAD = `SELECT ${LOADED} FROM roles WHERE id = ?`;

const CHANGING = changingMembers(ROLES);

const SAVE = `
  UPDATE roles SET version = version + 1, ${LAST_EVENT_AT}, title_folded = ?, ${ROLES.set(CHANGING, 4)}
  WHERE id = ? AND version = ? RETURNING last_event_at AS lastEventAt`;

const MANIFEST = 'SELECT manifest FROM manifests WHERE archive = ?';

/** A row with the columns of {@link LOADED}. */
export interface RoleRow extends StoredRow<Role> {
  readonly version: Version;
  readonly owner: number | null;
}

export function roles(connection: Statements): Pick<RoleStore, 'load' | 'save' | 'loadManifest'> {
  return {
    // Every view loads its role.
    load(id, signal) {
      const loaded = connection.readCached(LOAD, id, readRole, signal);
      return isPromise(loaded) ? loaded.then((role) => role && copyOf(role)) : loaded && copyOf(loaded);
    },
    save: (role, loadedAt, events, authority, credential = {}) =>
      connection[role.deletedAt === null ? 'write' : 'writeFromReserve'](
        (prepare) =>
          refusedCredential(prepare, credential) ??
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

export function readRole(row: RoleRow): LoadedRole {
  const owner = row.owner ?? FIRST_GENERATION;
  const accountGeneration = Math.abs(owner) as Generation;
  return { value: ROLES.read(row), version: row.version, isHidden: owner < 0, accountGeneration };
}

/** Copies a cached role, which is shared, for the caller. V8 is slow with members behind a spread. */
export function copyOf({ value, version, isHidden, accountGeneration }: LoadedRole): LoadedRole {
  return { value: { ...value }, version, isHidden, accountGeneration };
}

/** Stores the change if the version is still the loaded one. Returns whether it did. */
export function saveRole(
  prepare: Prepare,
  role: Role,
  loadedAt: Version,
  events: readonly HistoryEvent[],
): boolean {
  const changed = [titleFolded(role), ...ROLES.values(role, CHANGING)];
  const saved = prepare<SequencedEvent>(SAVE).get(...sequenced(events), ...changed, role.id, loadedAt);
  if (saved === undefined) return false;
  insertSequenced(prepare, events, saved);
  return true;
}
