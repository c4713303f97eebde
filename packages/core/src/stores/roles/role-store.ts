import { isPromise } from '../../adapter/foreign-values.ts';
import type { Instant } from '../../domain/instant.ts';
import type { LoadedRole, RoleStore } from '../../ports/role-store.ts';
import { lt, notNull, oneOf, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { defineLookup, type Lookup } from '../../records/program.ts';
import { all, together } from '../../records/step.ts';
import { find, update } from '../../records/steps.ts';
import { accountLock } from '../../records/tables/locks.ts';
import { ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { changeLocks, checkChange } from '../checks.ts';
import {
  copyOfLoaded,
  derivedMembers,
  LOADED,
  loadedRole,
  nextVersion,
  OWNER,
  saveRole,
} from '../role-rows.ts';
import { addChange, addRemoval } from '../store-programs.ts';
import { archives } from './archives.ts';
import { cleanup } from './cleanup.ts';
import { commitRole } from './commits.ts';
import { listRoles } from './listing.ts';
import { reservations } from './reservations.ts';

const PLACE = ['id', 'account'] as const;
const ENDED = ['id', 'version', 'expiresAt', 'deletedAt'] as const;
const WITHOUT = { title: null, originalFilename: null } as const;

function namedRoles(endedBefore: Instant): Where<RoleRow> {
  return { endedAt: lt(endedBefore), originalFilename: notNull };
}

const dropTitles = addRemoval('roles.drop_titles', {
  *find(endedBefore: Instant, limit) {
    const withArchive = { ...namedRoles(endedBefore), hasArchive: true };
    const inOrder = { order: ['endedAt'] as const, limit, select: PLACE };
    // Each query has an index. Their order is that in which a role moves between them, so that none is missed.
    const found = yield* all(
      find(ROLES, { ...withArchive, cleanupNotBefore: null }, inOrder),
      find(ROLES, { ...withArchive, cleanupNotBefore: notNull }, { ...inOrder, order: ['cleanupNotBefore'] }),
      find(ROLES, { ...namedRoles(endedBefore), hasArchive: false }, inOrder),
    );
    return found.flat().slice(0, limit);
  },
  locks: ({ account }) => [accountLock(account)],
  *remove(places, endedBefore) {
    const id = oneOf(places.map((place) => place.id));
    const account = oneOf(places.map((place) => place.account));
    const rows = yield* find(ROLES, { ...namedRoles(endedBefore), id, account }, { select: ENDED });
    yield* all(
      ...rows.map((row) => {
        const texts = { ...WITHOUT, ...derivedMembers({ ...row, ...WITHOUT }) };
        return update(ROLES, { id: row.id }, { ...texts, version: nextVersion(row) });
      }),
    );
    return rows.length;
  },
});

/** A lookup, because every view runs it. */
const ROLE_BY_ID: Lookup<LoadedRole> = defineLookup('roles.load', {
  table: ROLES,
  by: 'id',
  select: LOADED,
  references: { account: OWNER },
  make: ({ row, references }) => loadedRole(row, references.account),
});

const save = addChange('roles.save', {
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
    dropTitles: (endedBefore, limit) => dropTitles(database, endedBefore, limit),
  };
}
