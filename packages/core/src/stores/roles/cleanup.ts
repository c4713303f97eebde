import type { HistoryEvent } from '../../domain/history.ts';
import type { RoleId } from '../../domain/identity.ts';
import type {
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  RoleStore,
} from '../../ports/role-store.ts';
import { lt, lte, oneOf, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/joining.ts';
import { type AnyProgram, type AnyQuery, defineQuery, MAX_LOCKS } from '../../records/program.ts';
import type { Steps } from '../../records/step.ts';
import { aggregate, find, remove, update } from '../../records/steps.ts';
import { accountLock } from '../../records/tables/locks.ts';
import { IDEMPOTENCY_KEYS, MANIFESTS, ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { defineChange, defineChangeQuery } from '../define-change.ts';
import { eventLocks, feedEnds } from '../events.ts';
import { CHANGED, changeRole, findRole, nextVersion } from '../role-changes.ts';

/** Roles that one program claims, perhaps of as many accounts: it holds some locks more. */
const CLAIMED_AT_ONCE = MAX_LOCKS - 10;

const WAITING = ['id', 'account', 'endedAt', 'cleanupNotBefore'] as const;

const CLAIMED = [...WAITING, 'archive', 'version', 'cleanupFailures'] as const;
const SETTLED = [...CHANGED, 'archive', 'cleanupToken', 'cleanupFailures'] as const;

type WaitingRole = Pick<RoleRow, (typeof WAITING)[number]>;

function neverClaimed({ endedBefore }: Pick<CleanupRequest, 'endedBefore'>): Where<RoleRow> {
  return { hasArchive: true, cleanupNotBefore: null, endedAt: lte(endedBefore) };
}

function claimedBefore({ now, endedBefore }: Pick<CleanupRequest, 'now' | 'endedBefore'>): Where<RoleRow> {
  return {
    hasArchive: true,
    cleanupNotBefore: lte(now),
    either: [{ isPurged: true }, { endedAt: lte(endedBefore) }],
  };
}

/** Sorts roles by how long they have been waiting for a claim. */
function longestFirst<Waiting extends WaitingRole>(roles: readonly Waiting[]): readonly Waiting[] {
  const since = ({ cleanupNotBefore, endedAt }: WaitingRole): number => cleanupNotBefore ?? endedAt ?? 0;
  return roles.toSorted((one, other) => since(one) - since(other));
}

const findWaiting = defineChangeQuery('roles.waiting_for_cleanup', function* (request: CleanupRequest) {
  const { limit } = request;
  const [fresh, again] = yield* all(
    find(ROLES, neverClaimed(request), { order: ['endedAt'], limit, select: WAITING }),
    find(ROLES, claimedBefore(request), { order: ['cleanupNotBefore'], limit, select: WAITING }),
  );
  return longestFirst([...fresh, ...again]).slice(0, limit);
});

interface Claim {
  readonly request: CleanupRequest;
  readonly waiting: readonly WaitingRole[];
}

/** Claims those of some roles that still wait. */
const claimRoles = defineChange('roles.claim_for_cleanup', {
  locks: ({ waiting }: Claim) => ({ exclusive: waiting.map(({ account }) => accountLock(account)) }),
  usesReserve: () => true,
  *run({ request, waiting }): Steps<readonly CleanupTask[]> {
    const id = oneOf<RoleId>(waiting.map((role) => role.id));
    const found = yield* all(
      find(ROLES, { ...neverClaimed(request), id }, { select: CLAIMED }),
      find(ROLES, { ...claimedBefore(request), id }, { select: CLAIMED }),
    );
    const { token, until } = request;
    const rows = longestFirst(found.flat());
    yield* all(
      ...rows.map((row) =>
        update(
          ROLES,
          { id: row.id },
          { version: nextVersion(row), cleanupToken: token, cleanupNotBefore: until },
        ),
      ),
    );
    return rows.map(({ id: role, account, archive, cleanupFailures: failures }) => {
      return { role, account, archive, token, failures };
    });
  },
});

interface Settlement {
  readonly task: CleanupTask;
  readonly outcome: CleanupOutcome;
  readonly events: readonly HistoryEvent[];
}

const settleCleanup = defineChange('roles.settle_cleanup', {
  locks: ({ task, events }: Settlement) => ({
    exclusive: [accountLock(task.account), ...eventLocks(events)],
  }),
  usesReserve: () => true,
  *run({ task: { account, role, token }, outcome, events }) {
    const [row, ends] = yield* together(findRole(account, role, SETTLED), feedEnds(events));
    if (row?.cleanupToken !== token) return;
    if (outcome.kind === 'removed') {
      const removed = { hasArchive: false, cleanupToken: null, cleanupNotBefore: null };
      const { archive } = row;
      yield* all(...changeRole(row, removed, events, ends), remove(MANIFESTS, { archive }));
    } else {
      const cleanupFailures = row.cleanupFailures + 1;
      const failed = { cleanupToken: null, cleanupNotBefore: outcome.retryAt, cleanupFailures };
      yield* all(...changeRole(row, failed, events, ends));
    }
  },
});

const countForCleanup = defineQuery('roles.count_for_cleanup', function* (request: CleanupCountRequest) {
  const [fresh, again, reservations] = yield* all(
    aggregate(ROLES, neverClaimed(request)),
    aggregate(ROLES, claimedBefore(request)),
    aggregate(IDEMPOTENCY_KEYS, { role: null, begunAt: lt(request.begunBefore) }),
  );
  return { archives: fresh.count + again.count, reservations: reservations.count };
});

export const CLEANUP_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [
  findWaiting,
  claimRoles,
  settleCleanup,
  countForCleanup,
];

/** The removal of archives whose roles have ended. */
export function cleanup(
  database: Database,
): Pick<RoleStore, 'claimForCleanup' | 'settleCleanup' | 'countForCleanup'> {
  return {
    claimForCleanup: async (request) => {
      const claimed: CleanupTask[] = [];
      do {
        const found = await database.read(findWaiting, request);
        const wanted = Math.min(request.limit - claimed.length, CLAIMED_AT_ONCE);
        const waiting = found.filter(({ id }) => claimed.every(({ role }) => role !== id)).slice(0, wanted);
        if (waiting.length === 0) break;
        // What other cleanups have claimed meanwhile is replaced by what waits next.
        claimed.push(...(await database.write(claimRoles, { request, waiting })));
      } while (claimed.length < request.limit);
      return claimed;
    },
    settleCleanup: (task, outcome, events) => database.write(settleCleanup, { task, outcome, events }),
    countForCleanup: (request) => database.read(countForCleanup, request),
  };
}
