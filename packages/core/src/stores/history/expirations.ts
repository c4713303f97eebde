import type { HistoryEvent } from '../../domain/history.ts';
import type { AccountId } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import type { ExpiredRole, HistoryStore } from '../../ports/history-store.ts';
import { column, gte, lte, oneOf, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/joining.ts';
import { find, update } from '../../records/steps.ts';
import { accountLock } from '../../records/tables/locks.ts';
import { ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { eventLocks, feedEnds, insertEvents } from '../events.ts';
import { nextVersion } from '../role-changes.ts';
import { StorePrograms } from '../store-programs.ts';

/** The programs of expirations. */
export const EXPIRATION_PROGRAMS: StorePrograms = new StorePrograms();

/** Expirations that one program records. Each may need the locks of two accounts. */
const RECORDED_AT_ONCE = 40;

/** Roles whose expiration has no event yet. One that was stopped before never expires. */
const UNRECORDED: Where<RoleRow> = {
  isExpiryRecorded: false,
  either: [{ deletedAt: null }, { deletedAt: gte(column('expiresAt')) }],
};
const EXPIRED = ['id', 'account', 'expiresAt'] as const;
const OWNED = ['id', 'account'] as const;
const RECORDED = ['id', 'account', 'expiresAt', 'version', 'lastEventAt'] as const;

const findExpired = EXPIRATION_PROGRAMS.query(
  'history.expired',
  ([by, limit]: Parameters<HistoryStore['expired']>) =>
    find(ROLES, { ...UNRECORDED, expiresAt: lte(by) }, { order: ['expiresAt'], limit, select: EXPIRED }),
);

const findOwners = EXPIRATION_PROGRAMS.changeQuery('history.owners', (events: readonly HistoryEvent[]) =>
  find(ROLES, { ...UNRECORDED, id: oneOf(pinsOf(events)) }, { select: OWNED }),
);

interface Expirations {
  readonly events: readonly HistoryEvent[];
  readonly accounts: readonly AccountId[];
}

const recordExpirations = EXPIRATION_PROGRAMS.change('history.record_expirations', {
  locks: ({ events, accounts }: Expirations) => ({
    exclusive: [...accounts.map(accountLock), ...eventLocks(events)],
  }),
  usesReserve: () => true,
  *run({ events }) {
    const [roles, ends] = yield* together(
      find(ROLES, { ...UNRECORDED, id: oneOf(pinsOf(events)) }, { select: RECORDED }),
      feedEnds(events),
    );
    const recorded = roles.flatMap((role) => {
      // An erasure may have given the role to another account since.
      const event = events.find(
        ({ pin, at, account }) => pin === role.id && at === role.expiresAt && account === role.account,
      );
      return event === undefined ? [] : [{ role, event }];
    });
    yield* all(
      ...recorded.map(({ role, event: { at } }) =>
        update(
          ROLES,
          { id: role.id },
          {
            isExpiryRecorded: true,
            version: nextVersion(role),
            lastEventAt: Math.max(role.lastEventAt, at) as Instant,
          },
        ),
      ),
      ...insertEvents(
        recorded.map(({ event }) => event),
        ends,
      ),
    );
  },
});

function pinsOf(events: readonly HistoryEvent[]): readonly RoleRow['id'][] {
  return events.flatMap(({ pin }) => pin ?? []);
}

/** Lists roles that expired by an instant, and have no event of it. */
export async function listExpired(
  database: Database,
  by: Instant,
  limit: number,
): Promise<readonly ExpiredRole[]> {
  const found = await database.read(findExpired, [by, limit]);
  return found.flatMap(({ id: role, account, expiresAt }) =>
    expiresAt === null ? [] : [{ role, account, expiresAt }],
  );
}

/** Stores the events of expirations that still hold and have none. */
export async function storeExpirations(database: Database, events: readonly HistoryEvent[]): Promise<void> {
  for (let n = 0; n < events.length; n += RECORDED_AT_ONCE) {
    const batch = events.slice(n, n + RECORDED_AT_ONCE);
    const owners = await database.read(findOwners, batch);
    const accounts = new Map(owners.map(({ id, account }) => [id, account]));
    const own = batch.filter(({ pin }) => pin !== null && accounts.has(pin));
    if (own.length === 0) continue;
    await database.write(recordExpirations, { events: own, accounts: [...new Set(accounts.values())] });
  }
}
