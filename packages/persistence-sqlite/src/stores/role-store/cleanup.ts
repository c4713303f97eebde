import { setImmediate } from 'node:timers/promises';
import type {
  ArchiveId,
  CleanupCount,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  HistoryEvent,
  RoleStore,
} from '@pinfold/core';
import type { Statements } from '../../engine/sqlite-connection.ts';
import type { Prepare } from '../../engine/sqlite-file.ts';
import { insertSequenced, LAST_EVENT_AT, type SequencedEvent, sequenced } from '../events.ts';

const NEVER_CLAIMED = `
  SELECT id AS role, account, archive, failures, ended_at AS due FROM roles
  WHERE archive_kept = 1 AND not_before IS NULL AND ended_at <= @endedBefore
  ORDER BY ended_at LIMIT @limit`;

const CLAIMED_BEFORE = `
  SELECT id AS role, account, archive, failures, not_before AS due FROM roles
  WHERE archive_kept = 1 AND not_before <= @now AND (purged = 1 OR ended_at <= @endedBefore)
  ORDER BY not_before LIMIT @limit`;

const CLAIM = 'UPDATE roles SET version = version + 1, claim_token = ?, not_before = ? WHERE id = ?';

/** By the indexes of the claims and of the purge. */
const COUNT = `
  SELECT (
    SELECT count(*) FROM roles WHERE archive_kept = 1 AND not_before IS NULL AND ended_at <= @endedBefore
  ) + (
    SELECT count(*) FROM roles
    WHERE archive_kept = 1 AND not_before <= @now AND (purged = 1 OR ended_at <= @endedBefore)
  ) AS archives, (
    SELECT count(*) FROM idempotency_keys WHERE role IS NULL AND begun_at < @begunBefore
  ) AS reservations`;

const REMOVED = `
  UPDATE roles SET ${LAST_EVENT_AT}, archive_kept = 0, claim_token = NULL, not_before = NULL
  WHERE id = ? AND claim_token = ? RETURNING archive, last_event_at AS lastEventAt`;

const FAILED = `
  UPDATE roles SET ${LAST_EVENT_AT}, failures = failures + 1, claim_token = NULL, not_before = ?
  WHERE id = ? AND claim_token = ? RETURNING archive, last_event_at AS lastEventAt`;

const DROP_MANIFEST = 'DELETE FROM manifests WHERE archive = ?';

const IS_NAMED = 'SELECT 1 FROM manifests WHERE archive = ?';

const NAMED_AFTER = 'SELECT archive FROM manifests WHERE archive > ? ORDER BY archive LIMIT ?';

/** A role that may be claimed, with the instant from which it has been waiting. */
type ClaimableRow = Omit<CleanupTask, 'token'> & { readonly due: number };
type SettledRow = SequencedEvent & Pick<CleanupTask, 'archive'>;

/** Archives to remove, and those that records name. */
export function cleanup(
  connection: Statements,
): Pick<
  RoleStore,
  'claimForCleanup' | 'settleCleanup' | 'countForCleanup' | 'whichAreNamed' | 'listArchives'
> {
  return {
    claimForCleanup: (request) => connection.writeFromReserve((prepare) => claim(prepare, request)),
    settleCleanup: (task, outcome, events) =>
      connection.writeFromReserve((prepare) => settle(prepare, task, outcome, events)),
    countForCleanup: (request) =>
      connection.read((prepare) => prepare<CleanupCount>(COUNT).get(request) as CleanupCount),
    whichAreNamed: (ids) =>
      connection.read((prepare) => new Set(ids.filter((id) => prepare(IS_NAMED).get(id) !== undefined))),
    listArchives: async (after, limit) => {
      // A sweep asks for page after page: others get their turn in between.
      await setImmediate();
      return connection.read((prepare) =>
        prepare<{ archive: ArchiveId }>(NAMED_AFTER)
          .all(after ?? '', limit)
          .map(({ archive }) => archive),
      );
    },
  };
}

function claim(prepare: Prepare, request: CleanupRequest): readonly CleanupTask[] {
  const { now, endedBefore, token, until, limit } = request;
  return [
    ...prepare<ClaimableRow>(NEVER_CLAIMED).all({ endedBefore, limit }),
    ...prepare<ClaimableRow>(CLAIMED_BEFORE).all({ now, endedBefore, limit }),
  ]
    .sort((one, other) => one.due - other.due)
    .slice(0, limit)
    .map(({ role, account, archive, failures }) => {
      prepare(CLAIM).run(token, until, role);
      return { role, account, archive, token, failures };
    });
}

function settle(
  prepare: Prepare,
  task: CleanupTask,
  outcome: CleanupOutcome,
  events: readonly HistoryEvent[],
): void {
  const held = [task.role, task.token];
  const settled =
    outcome.kind === 'removed'
      ? prepare<SettledRow>(REMOVED).get(...sequenced(events), ...held)
      : prepare<SettledRow>(FAILED).get(...sequenced(events), outcome.retryAt, ...held);
  if (settled === undefined) return;
  if (outcome.kind === 'removed') prepare(DROP_MANIFEST).run(settled.archive);
  insertSequenced(prepare, events, settled);
}
