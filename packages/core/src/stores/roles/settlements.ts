import type { HistoryEvent } from '../../domain/history.ts';
import { withoutHash } from '../../domain/password.ts';
import type { CleanupOutcome, CleanupTask } from '../../ports/role-cleanup.ts';
import type { RoleStore } from '../../ports/role-store.ts';
import { oneOf } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/joining.ts';
import type { Step } from '../../records/step.ts';
import { find, remove, update } from '../../records/steps.ts';
import type { ChangesOf } from '../../records/table.ts';
import { accountLock, idempotencyLock } from '../../records/tables/locks.ts';
import { IDEMPOTENCY_KEYS, MANIFESTS, ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { eventLocks, feedEnds } from '../events.ts';
import { ROW_LOCKS } from '../locking.ts';
import { CHANGED, changeRoles, nextVersion } from '../role-changes.ts';
import { StorePrograms } from '../store-programs.ts';

/** The programs that end claims. */
export const SETTLEMENT_PROGRAMS: StorePrograms = new StorePrograms();

/** Claims that one program ends, perhaps of as many accounts and keys, with events of as many other accounts. */
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

/** Ends claims, each once and unless another cleanup took it over. */
const settleClaims = SETTLEMENT_PROGRAMS.change('roles.settle_cleanup', {
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

/** A change that was decided before the archive's removal conflicts: it would store the password's hash again. */
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

/** The steps that drop what is stored only as long as the archive. */
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
 * Ends claims, one program after the other: those that come while one runs are ended together by the next. So a sweep takes
 * the locks of its accounts seldom, and one connection of a pool.
 */
export function settlements(database: Database): RoleStore['settleCleanup'] {
  let open: readonly Settlement[] | undefined;
  let last: Promise<void> = Promise.resolve();
  const settle = async (batch: readonly Settlement[], before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    await database.pause();
    if (open === batch) open = undefined;
    await database.write(settleClaims, batch);
  };
  let batch: Settlement[] = [];
  return (task, outcome, events) => {
    if (open === undefined || open.length === SETTLED_AT_ONCE) {
      batch = [];
      open = batch;
      last = settle(batch, last);
    }
    batch.push({ task, outcome, events });
    return last;
  };
}
