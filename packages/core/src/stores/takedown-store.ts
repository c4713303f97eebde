import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId, RoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Takedown } from '../domain/takedown.ts';
import type { CopyQuery, PurgeClaim, TakedownQuery, TakedownStore } from '../ports/takedown-store.ts';
import { gt, notNull, oneOf } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, nothing, together } from '../records/step.ts';
import { find, get, update, upsert } from '../records/steps.ts';
import type { KeyOf } from '../records/table.ts';
import { accountLock, archiveLock } from '../records/tables/locks.ts';
import { ROLES, TAKEDOWNS } from '../records/tables/role-tables.ts';
import { findBan } from './admission.ts';
import { appendEvents, eventLocks } from './events.ts';
import { appendEventsOfRole, CLAIMED, claimRoles, saveRole } from './role-rows.ts';
import { addChange, addChangeQuery, addQuery } from './store-programs.ts';

const ID = ['id'] as const;
const ACCOUNT = ['account'] as const;
const LIFTED = ['liftedAt'] as const;
const LIFTED_OF = [...LIFTED, 'account'] as const;

const takeDown = addChange('takedowns.take_down', {
  locks: ([{ account, sha256 }, , events]: Parameters<TakedownStore['takeDown']>) => ({
    exclusive: [archiveLock(sha256), accountLock(account), ...eventLocks(events)],
  }),
  usesReserve: () => true,
  *run([takedown, stopped, events]) {
    const { id, sha256 } = takedown;
    const [known, stop] = yield* together(
      get(TAKEDOWNS, { id, sha256 }, LIFTED),
      stopped === undefined ? nothing : saveRole(stopped, events),
    );
    const isInForce = known !== undefined && known.liftedAt === null;
    if (stopped === undefined ? isInForce : stop === undefined) return { kind: 'conflict' };
    if (stop !== undefined) yield* all(...stop);
    else yield* appendEvents(events);
    if (!isInForce) yield* upsert(TAKEDOWNS, takedown);
    return { kind: 'taken_down' };
  },
});

const lift = addChange('takedowns.lift', {
  locks: ([{ sha256, account }, , events]: readonly [Takedown, Instant, readonly HistoryEvent[]]) => ({
    exclusive: [archiveLock(sha256), accountLock(account), ...eventLocks(events)],
  }),
  *run([{ id, sha256, account }, at, events]) {
    const known = yield* get(TAKEDOWNS, { id, sha256 }, LIFTED_OF);
    if (known === undefined || known.liftedAt !== null) return { kind: 'conflict' };
    // An erasure may have moved it to another account since it was read.
    if ([{ account }, ...events].some((each) => each.account !== known.account)) return { kind: 'conflict' };
    yield* update(TAKEDOWNS, { id, sha256 }, { liftedAt: at });
    const isOfRole = yield* appendEventsOfRole(account, id, events);
    if (!isOfRole) yield* appendEvents(events);
    return { kind: 'lifted' };
  },
});

const findTakedown = addChangeQuery('takedowns.find', ({ id, sha256 }: KeyOf<typeof TAKEDOWNS>) =>
  get(TAKEDOWNS, { id, sha256 }),
);

const findBans = addQuery('takedowns.find_ban', findBan);

const ofRoles = addQuery('takedowns.of_roles', (ids: readonly RoleId[]) =>
  find(TAKEDOWNS, { id: oneOf(ids) }),
);

const list = addQuery('takedowns.list', ({ sha256, after, limit }: TakedownQuery) =>
  find(
    TAKEDOWNS,
    { liftedAt: null, sha256 },
    { order: ['at', 'id', 'sha256'], descending: true, after, limit },
  ),
);

const copies = addQuery('takedowns.copies', ({ sha256, now, after: id, limit }: CopyQuery) =>
  find(
    ROLES,
    { sha256, deletedAt: null, either: [{ expiresAt: null }, { expiresAt: gt(now) }] },
    { order: ['id'], after: id && { id }, limit, select: ID },
  ),
);

const findAccount = addChangeQuery('takedowns.find_account', (id: RoleId) =>
  find(ROLES, { id }, { select: ACCOUNT }),
);

const claimPurge = addChange('takedowns.claim_purge', {
  locks: ([, account]: readonly [PurgeClaim, AccountId]) => ({ exclusive: [accountLock(account)] }),
  usesReserve: () => true,
  *run([claim, account]) {
    const stopped = { id: claim.role, account, hasArchive: true, deletedAt: notNull };
    const rows = yield* find(ROLES, stopped, { select: CLAIMED });
    const [task] = yield* claimRoles(rows, claim, { isPurged: true });
    return task;
  },
});

export function takedownStore(database: Database): TakedownStore {
  return {
    takeDown: (...takingDown) => database.write(takeDown, takingDown),
    lift: async ({ id, sha256 }, at, events) => {
      // Read first, because the locks depend on the account.
      const place = await database.read(findTakedown, { id, sha256 });
      return place === undefined ? { kind: 'conflict' } : database.write(lift, [place, at, events]);
    },
    isForbidden: async (sha256) => (await database.read(findBans, sha256)).length > 0,
    of: (ids) => database.read(ofRoles, ids),
    list: (query) => database.read(list, query),
    copies: async (query) => (await database.read(copies, query)).map(({ id }) => id),
    claimPurge: async (claim) => {
      const [found] = await database.read(findAccount, claim.role);
      return found && database.write(claimPurge, [claim, found.account]);
    },
  };
}
