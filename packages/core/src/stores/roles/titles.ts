import type { Instant } from '../../domain/instant.ts';
import type { RoleStore } from '../../ports/role-store.ts';
import { lt, notNull, oneOf, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all } from '../../records/joining.ts';
import { find, update } from '../../records/steps.ts';
import { accountLock } from '../../records/tables/locks.ts';
import { ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { derivedMembers, nextVersion } from '../role-changes.ts';
import { StorePrograms } from '../store-programs.ts';

/** The programs that drop titles. */
export const TITLE_PROGRAMS: StorePrograms = new StorePrograms();

const PLACE = ['id', 'account'] as const;
const ENDED = ['id', 'version', 'expiresAt', 'deletedAt'] as const;
const WITHOUT = { title: null, originalFilename: null } as const;

function namedRoles(endedBefore: Instant): Where<RoleRow> {
  return { endedAt: lt(endedBefore), originalFilename: notNull };
}

const dropTitles = TITLE_PROGRAMS.removal('roles.drop_titles', {
  *find(endedBefore: Instant, limit) {
    const withArchive = { ...namedRoles(endedBefore), hasArchive: true };
    const inOrder = { order: ['endedAt'] as const, limit, select: PLACE };
    // Each has an index. In the order in which a role passes from one to the next, so that none is missed.
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

/** The removal of titles and file names of roles that ended long ago. */
export function titles(database: Database): Pick<RoleStore, 'dropTitles'> {
  return { dropTitles: (endedBefore, limit) => dropTitles(database, endedBefore, limit) };
}
