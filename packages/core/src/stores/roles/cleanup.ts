import type { HistoryEvent } from '../../domain/history.ts';
import type { AccountId, RoleId } from '../../domain/identity.ts';
import { withoutHash } from '../../domain/password.ts';
import type {
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  NextForCleanup,
} from '../../ports/role-cleanup.ts';
import type { RoleStore } from '../../ports/role-store.ts';
import { gt, lt, lte, notNull, oneOf, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, type Step, type Steps, together } from '../../records/step.ts';
import { aggregate, find, remove, update } from '../../records/steps.ts';
import type { ChangesOf } from '../../records/table.ts';
import { accountLock, idempotencyLock } from '../../records/tables/locks.ts';
import { IDEMPOTENCY_KEYS, MANIFESTS, ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { eventLocks, feedEnds } from '../events.ts';
import { CHANGED, CLAIMED, changeRoles, claimedAhead, claimRoles, nextVersion } from '../role-rows.ts';
import { addChange, addChangeQuery, addQuery, ROW_LOCKS } from '../store-programs.ts';

/** The maximum number of claims that one program ends: each may need the locks of two accounts and a key. */
const SETTLED_AT_ONCE = ROW_LOCKS / 3;

const SETTLED = [
  ...CHANGED,
  'account',
  'archive',
  'idempotencyKey',
  'passwordHash',
  'version',
  'cleanupToken',
  'cleanupFailures',
] as const;

type SettledRow = Pick<RoleRow, (typeof SETTLED)[number]>;

interface Settlement {
  readonly task: CleanupTask;
  readonly outcome: CleanupOutcome;
  readonly events: readonly HistoryEvent[];
}

/** Ends claims, unless they have ended or another cleanup has taken them over. */
const settleClaims = addChange('roles.settle_cleanup', {
  locks: (settlements: readonly Settlement[]) => ({
    exclusive: settlements.flatMap(({ task, events }) => [
      accountLock(task.account),
      ...keyLocks(task),
      ...eventLocks(events),
    ]),
  }),
  usesReserve: () => true,
  *run(settlements) {
    const tasks = settlements.map(({ task }) => task);
    const [id, account] = [oneOf(tasks.map(({ role }) => role)), oneOf(tasks.map((task) => task.account))];
    const [rows, ends] = yield* together(
      find(ROLES, { id, account }, { select: SETTLED }),
      feedEnds(settlements.flatMap(({ events }) => events)),
    );
    const settled = rows.flatMap((row) => {
      const own = settlements.find(({ task }) => task.role === row.id && task.token === row.cleanupToken);
      return own === undefined ? [] : [{ ...own, row }];
    });
    const changed = settled.map(({ row, outcome, events }) => ({
      row,
      changes: changesBy(outcome, row),
      events,
    }));
    const removed = settled.filter(({ outcome }) => outcome.kind === 'removed');
    yield* all(...changeRoles(changed, ends), ...removed.flatMap(({ row }) => withoutArchive(row)));
  },
});

function keyLocks({ account, idempotencyKey: key }: CleanupTask): readonly string[] {
  return key === null ? [] : [idempotencyLock(account, key)];
}

/** Increases the version, so that a change decided before the removal conflicts: it would store the password's hash again. */
function changesBy(outcome: CleanupOutcome, row: SettledRow): ChangesOf<typeof ROLES> {
  if (outcome.kind === 'failed') {
    const { retryAt: cleanupNotBefore } = outcome;
    return { cleanupToken: null, cleanupNotBefore, cleanupFailures: row.cleanupFailures + 1 };
  }
  return {
    hasArchive: false,
    cleanupToken: null,
    cleanupNotBefore: null,
    passwordHash: withoutHash(row.passwordHash),
    version: nextVersion(row),
  };
}

/** Drops what is stored only as long as the archive. */
function withoutArchive({
  account,
  archive,
  idempotencyKey: key,
}: SettledRow): readonly Step<unknown, 'write'>[] {
  const manifest = remove(MANIFESTS, { archive });
  if (key === null) return [manifest];
  return [manifest, update(IDEMPOTENCY_KEYS, { account, key }, { warnings: [] })];
}

/**
 * Collects claims that end while a program runs, and ends them together in the next program. So a sweep locks its
 * accounts less often, and uses one connection of the pool.
 */
function batchSettlements(database: Database): RoleStore['settleCleanup'] {
  let open: Settlement[] | undefined;
  let last: Promise<void> = Promise.resolve();
  const settle = async (batch: readonly Settlement[], before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    await database.pause();
    if (open === batch) open = undefined;
    await database.write(settleClaims, batch);
  };
  return (task, outcome, events) => {
    let batch = open;
    if (batch === undefined || batch.length === SETTLED_AT_ONCE) {
      batch = [];
      open = batch;
      last = settle(batch, last);
    }
    batch.push({ task, outcome, events });
    return last;
  };
}

/** The maximum number of roles that one program claims: each may need the lock of another account. */
const CLAIMED_AT_ONCE = ROW_LOCKS;

/** The maximum number of roles that a cleanup skips, to begin in accounts in which no other cleanup has claims. */
const MAX_SKIPPED = 100;

const CLAIMANT = ['account', 'cleanupToken'] as const;
const RANKED = ['id', 'endedAt', 'cleanupNotBefore'] as const;
const WAITING = [...RANKED, 'account'] as const;
const CLAIMABLE = [...CLAIMED, ...RANKED] as const;

type RankedRole = Pick<RoleRow, (typeof RANKED)[number]>;
type WaitingRole = Pick<RoleRow, (typeof WAITING)[number]>;

function neverClaimed({ endedBefore }: Pick<Due, 'endedBefore'>): Where<RoleRow> {
  return { hasArchive: true, cleanupNotBefore: null, endedAt: lte(endedBefore) };
}

type Due = Pick<CleanupRequest, 'now' | 'endedBefore'>;

function claimedBefore({ now, endedBefore }: Due): readonly Where<RoleRow>[] {
  const either = [{ isPurged: true }, { endedAt: lte(endedBefore) }];
  const ended = [{ cleanupNotBefore: lte(now) }, ...claimedAhead(now)];
  return ended.map((each) => ({ ...each, hasArchive: true, either }));
}

/** Sorts roles by how long they have been waiting for a claim. */
function longestFirst<Waiting extends RankedRole>(roles: readonly Waiting[]): readonly Waiting[] {
  const since = ({ cleanupNotBefore, endedAt }: RankedRole): number => cleanupNotBefore ?? endedAt ?? 0;
  return roles.toSorted((one, other) => since(one) - since(other));
}

function* findLongestWaiting<Selected extends keyof RoleRow>(
  request: Due,
  limit: number,
  select: readonly ((typeof RANKED)[number] | Selected)[],
): Steps<readonly Pick<RoleRow, (typeof RANKED)[number] | Selected>[], 'read'> {
  const again = { order: ['cleanupNotBefore'] as const, limit, select };
  const found = yield* all(
    find(ROLES, neverClaimed(request), { order: ['endedAt'], limit, select }),
    ...claimedBefore(request).map((claimed) => find(ROLES, claimed, again)),
  );
  return longestFirst(found.flat()).slice(0, limit);
}

/** Finds the accounts in which other cleanups have claims. */
function* findOthers({ now, until, token }: CleanupRequest): Steps<readonly AccountId[], 'read'> {
  const claims = { hasArchive: true, cleanupToken: notNull, cleanupNotBefore: [gt(now), lte(until)] };
  const range = { order: ['cleanupNotBefore'] as const, limit: MAX_SKIPPED, select: CLAIMANT };
  const claimed = yield* find(ROLES, claims, range);
  return claimed.filter((role) => role.cleanupToken !== token).map(({ account }) => account);
}

/** Finds the roles that have been waiting longest; more than are wanted if other cleanups are at work. */
const findWaiting = addChangeQuery(
  'roles.waiting_for_cleanup',
  function* ([request, hasMetOthers]: readonly [CleanupRequest, hasMetOthers: boolean]) {
    const [few, many] = [request.limit, request.limit + MAX_SKIPPED];
    const [longest, others] = yield* together(
      findLongestWaiting(request, hasMetOthers ? many : few, WAITING),
      findOthers(request),
    );
    if (hasMetOthers || others.length === 0) return { longest, others };
    return { longest: yield* findLongestWaiting(request, many, WAITING), others };
  },
);

/** Claims those of the found roles that still wait. */
const claim = addChange('roles.claim_for_cleanup', {
  locks: ([, waiting]: readonly [CleanupRequest, readonly WaitingRole[]]) => ({
    exclusive: waiting.map(({ account }) => accountLock(account)),
  }),
  usesReserve: () => true,
  *run([request, waiting]) {
    const id = oneOf<RoleId>(waiting.map((role) => role.id));
    const found = yield* all(
      find(ROLES, { ...neverClaimed(request), id }, { select: CLAIMABLE }),
      ...claimedBefore(request).map((claimed) => find(ROLES, { ...claimed, id }, { select: CLAIMABLE })),
    );
    return yield* claimRoles(longestFirst(found.flat()), request);
  },
});

const countForCleanup = addQuery('roles.count_for_cleanup', function* (request: CleanupCountRequest) {
  const [reservations, ...archives] = yield* all(
    aggregate(IDEMPOTENCY_KEYS, { role: null, begunAt: lt(request.begunBefore) }),
    aggregate(ROLES, neverClaimed(request)),
    ...claimedBefore(request).map((claimed) => aggregate(ROLES, claimed)),
  );
  const count = archives.reduce((sum, each) => sum + each.count, 0);
  return { archives: count, reservations: reservations.count };
});

const nextForCleanup = addQuery('roles.next_for_cleanup', function* (request: NextForCleanup) {
  return (yield* findLongestWaiting(request, request.limit, RANKED)).map(({ id }) => id);
});

/** Creates the methods that remove archives whose roles have ended. */
export function cleanup(
  database: Database,
): Pick<RoleStore, 'claimForCleanup' | 'settleCleanup' | 'countForCleanup' | 'nextForCleanup'> {
  return {
    claimForCleanup: claimInTurn(database),
    settleCleanup: batchSettlements(database),
    countForCleanup: (request) => database.read(countForCleanup, request),
    nextForCleanup: (request) => database.read(nextForCleanup, request),
  };
}

/**
 * Claims the roles that have been waiting longest. Concurrent cleanups of the same accounts would wait for each other's
 * locks, so a cleanup that meets others goes account by account, and begins with those that have no other cleanup.
 */
function claimInTurn(database: Database): RoleStore['claimForCleanup'] {
  /** The accounts in which this cleanup met others. */
  const met = new Set<AccountId>();
  const findCandidates = async (request: CleanupRequest): Promise<readonly WaitingRole[]> => {
    const { longest, others } = await database.read(findWaiting, [request, met.size > 0]);
    if (met.size + others.length === 0) return longest;
    const byAccount = [...Map.groupBy(longest, ({ account }) => account)];
    const free = byAccount.filter(([account]) => !met.has(account) && !others.includes(account));
    return (free.length > 0 ? free : byAccount).flatMap(([, roles]) => roles);
  };
  return async (request) => {
    const claimed: CleanupTask[] = [];
    do {
      const wanted = Math.min(request.limit - claimed.length, CLAIMED_AT_ONCE);
      const found = await findCandidates(request);
      const waiting = found.filter(({ id }) => claimed.every(({ role }) => role !== id)).slice(0, wanted);
      if (waiting.length === 0) {
        met.clear();
        break;
      }
      const won = await database.write(claim, [request, waiting]);
      // The next round replaces roles that other cleanups have claimed meanwhile.
      claimed.push(...won);
      for (const { account } of won) met.delete(account);
      const isWon = (id: RoleId): boolean => won.some(({ role }) => role === id);
      for (const { id, account } of waiting) if (!isWon(id)) met.add(account);
    } while (claimed.length < request.limit);
    return claimed;
  };
}
