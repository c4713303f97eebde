import type { Instant } from '../../domain/instant.ts';
import type { RoleStore } from '../../ports/role-store.ts';
import { lt, notNull, oneOf, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all } from '../../records/joining.ts';
import type { AnyProgram, AnyQuery } from '../../records/program.ts';
import { find, update } from '../../records/steps.ts';
import { accountLock } from '../../records/tables/locks.ts';
import { ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { defineChange, defineChangeQuery } from '../define-change.ts';
import { removeInBatches } from '../locking.ts';
import { derivedMembers, nextVersion } from '../role-changes.ts';

const PLACE = ['id', 'account'] as const;
const ENDED = ['id', 'version', 'expiresAt', 'deletedAt'] as const;
const WITHOUT = { title: null, originalFilename: null } as const;

interface Ended {
  readonly endedBefore: Instant;
  readonly limit: number;
}

type RolePlace = Pick<RoleRow, (typeof PLACE)[number]>;

const findNamed = defineChangeQuery('roles.find_named', function* ({ endedBefore, limit }: Ended) {
  const ended: Where<RoleRow> = { endedAt: lt(endedBefore), originalFilename: notNull };
  const withArchive = { ...ended, hasArchive: true };
  const inOrder = { order: ['endedAt'] as const, limit, select: PLACE };
  // Each has an index. In the order in which a role passes from one to the next, so that none is missed.
  const found = yield* all(
    find(ROLES, { ...withArchive, cleanupNotBefore: null }, inOrder),
    find(ROLES, { ...withArchive, cleanupNotBefore: notNull }, { ...inOrder, order: ['cleanupNotBefore'] }),
    find(ROLES, { ...ended, hasArchive: false }, inOrder),
  );
  return found.flat().slice(0, limit);
});

interface TitleRemoval {
  readonly places: readonly RolePlace[];
  readonly endedBefore: Instant;
}

/** Drops the texts of those of some roles that still have ended, and returns how many. */
const dropTitles = defineChange('roles.drop_titles', {
  locks: ({ places }: TitleRemoval) => ({ exclusive: places.map(({ account }) => accountLock(account)) }),
  usesReserve: () => true,
  *run({ places, endedBefore }) {
    const id = oneOf(places.map((place) => place.id));
    const account = oneOf(places.map((place) => place.account));
    const ended = { id, account, endedAt: lt(endedBefore), originalFilename: notNull };
    const rows = yield* find(ROLES, ended, { select: ENDED });
    yield* all(
      ...rows.map((row) =>
        update(
          ROLES,
          { id: row.id },
          { ...WITHOUT, ...derivedMembers({ ...row, ...WITHOUT }), version: nextVersion(row) },
        ),
      ),
    );
    return rows.length;
  },
});

export const TITLE_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [findNamed, dropTitles];

/** The removal of titles and file names of roles that ended long ago. */
export function titles(database: Database): Pick<RoleStore, 'dropTitles'> {
  return {
    dropTitles: (endedBefore, most) =>
      removeInBatches(
        database,
        most,
        (limit) => database.read(findNamed, { endedBefore, limit }),
        (places) => database.write(dropTitles, { places, endedBefore }),
      ),
  };
}
