import { isPromise } from '../../adapter/foreign-values.ts';
import type { Credential, SaveAuthority } from '../../domain/actor.ts';
import type { HistoryEvent } from '../../domain/history.ts';
import type { Role } from '../../domain/role.ts';
import type { LoadedRole, RoleStore, Versioned } from '../../ports/role-store.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/joining.ts';
import { defineLookup, type Lookup } from '../../records/lookup.ts';
import type { AnyProgram, AnyQuery } from '../../records/program.ts';
import { ROLES } from '../../records/tables/role-tables.ts';
import { changeLocks, checkChange } from '../checks.ts';
import { defineChange } from '../define-change.ts';
import { copyOfLoaded, LOADED, loadedRole, OWNER } from '../loaded-roles.ts';
import { saveRole } from '../role-changes.ts';
import { ARCHIVE_PROGRAMS, archives } from './archives.ts';
import { CLEANUP_PROGRAMS, cleanup } from './cleanup.ts';
import { commitRole } from './commits.ts';
import { LISTING_PROGRAMS, listRoles } from './listing.ts';
import { RESERVATION_PROGRAMS, reservations } from './reservations.ts';
import { TITLE_PROGRAMS, titles } from './titles.ts';

/** Every view looks one up. */
const ROLE_BY_ID: Lookup<LoadedRole> = defineLookup('roles.load', {
  table: ROLES,
  by: 'id',
  select: LOADED,
  references: { account: OWNER },
  make: ({ row, references }) => loadedRole(row, references.account),
});

interface Saving {
  readonly changed: Versioned<Role>;
  readonly events: readonly HistoryEvent[];
  readonly authority: SaveAuthority | undefined;
  readonly credential: Credential | undefined;
}

const save = defineChange('roles.save', {
  locks: ({ changed: { value }, events, credential }: Saving) =>
    changeLocks({ account: value.account, credential }, events),
  usesReserve: ({ changed: { value } }) => value.deletedAt !== null,
  *run({ changed, events, authority, credential }) {
    const { account } = changed.value;
    const [{ refusal }, saved] = yield* together(
      checkChange({ account, authority, credential }),
      saveRole(changed, events),
    );
    if (refusal !== undefined) return refusal;
    if (saved === undefined) return { kind: 'conflict' };
    yield* all(...saved);
    return { kind: 'saved' };
  },
});

/** The programs of roles. */
export const ROLE_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [
  save,
  commitRole,
  ...RESERVATION_PROGRAMS,
  ...LISTING_PROGRAMS,
  ...CLEANUP_PROGRAMS,
  ...ARCHIVE_PROGRAMS,
  ...TITLE_PROGRAMS,
];

/** Stores roles in a database. */
export function roleStore(database: Database): RoleStore {
  return {
    ...reservations(database),
    commit: (publication, lease, events) => database.write(commitRole, { publication, lease, events }),
    load: (id, signal) => {
      const loaded = database.peek(ROLE_BY_ID, id, signal);
      return isPromise(loaded)
        ? loaded.then((role) => role && copyOfLoaded(role))
        : loaded && copyOfLoaded(loaded);
    },
    save: (value, version, events, authority, credential) =>
      database.write(save, { changed: { value, version }, events, authority, credential }),
    list: (query) => listRoles(database, query),
    ...cleanup(database),
    ...archives(database),
    ...titles(database),
  };
}
