import { isPromise } from '../../adapter/foreign-values.ts';
import type { LoadedRole, RoleStore } from '../../ports/role-store.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/joining.ts';
import { defineLookup, type Lookup } from '../../records/lookup.ts';
import { ROLES } from '../../records/tables/role-tables.ts';
import { changeLocks, checkChange } from '../checks.ts';
import { copyOfLoaded, LOADED, loadedRole, OWNER } from '../loaded-roles.ts';
import { saveRole } from '../role-changes.ts';
import { StorePrograms } from '../store-programs.ts';
import { ARCHIVE_PROGRAMS, archives } from './archives.ts';
import { CLEANUP_PROGRAMS, cleanup } from './cleanup.ts';
import { COMMIT_PROGRAMS, commitRole } from './commits.ts';
import { LISTING_PROGRAMS, listRoles } from './listing.ts';
import { RESERVATION_PROGRAMS, reservations } from './reservations.ts';
import { TITLE_PROGRAMS, titles } from './titles.ts';

export const ROLE_PROGRAMS: StorePrograms = new StorePrograms(
  COMMIT_PROGRAMS,
  RESERVATION_PROGRAMS,
  LISTING_PROGRAMS,
  CLEANUP_PROGRAMS,
  ARCHIVE_PROGRAMS,
  TITLE_PROGRAMS,
);

/** Every view looks one up. */
const ROLE_BY_ID: Lookup<LoadedRole> = defineLookup('roles.load', {
  table: ROLES,
  by: 'id',
  select: LOADED,
  references: { account: OWNER },
  make: ({ row, references }) => loadedRole(row, references.account),
});

const save = ROLE_PROGRAMS.change('roles.save', {
  locks: ([{ account }, , events, , credential]: Parameters<RoleStore['save']>) =>
    changeLocks({ account, credential }, events),
  usesReserve: ([role]) => role.deletedAt !== null,
  *run([value, version, events, authority, credential]) {
    const [{ refusal }, saved] = yield* together(
      checkChange({ account: value.account, authority, credential }),
      saveRole({ value, version }, events),
    );
    if (refusal !== undefined) return refusal;
    if (saved === undefined) return { kind: 'conflict' };
    yield* all(...saved);
    return { kind: 'saved' };
  },
});

/** Stores roles in a database. */
export function roleStore(database: Database): RoleStore {
  return {
    ...reservations(database),
    commit: (...commit) => database.write(commitRole, commit),
    load: (id, signal) => {
      const loaded = database.peek(ROLE_BY_ID, id, signal);
      return isPromise(loaded)
        ? loaded.then((role) => role && copyOfLoaded(role))
        : loaded && copyOfLoaded(loaded);
    },
    save: (...saving) => database.write(save, saving),
    list: (query) => listRoles(database, query),
    ...cleanup(database),
    ...archives(database),
    ...titles(database),
  };
}
