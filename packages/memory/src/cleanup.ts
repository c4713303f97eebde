import type {
  ArchiveId,
  CleanupCount,
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  HistoryEvent,
  PurgeClaim,
  Role,
  Version,
} from '@pinfold/core';
import { insertSequenced } from './events.ts';
import { isReservedBefore, type MemoryData, type RoleRow } from './memory-data.ts';

export function claimForCleanup(data: MemoryData, request: CleanupRequest): readonly CleanupTask[] {
  return claimable(data, request)
    .sort((one, other) => waitingSince(one) - waitingSince(other))
    .slice(0, request.limit)
    .map((row) => claim(data, row, request));
}

function claim(
  { roles }: MemoryData,
  row: RoleRow,
  { token, until }: Pick<PurgeClaim, 'token' | 'until'>,
): CleanupTask {
  const version = (row.version + 1) as Version;
  const { id, account, archive } = row.role;
  roles.set(id, { ...row, version, claim: token, claimableAt: until });
  return { role: id, account, archive, token, failures: row.failures };
}

/** Claims a role for removal without a grace period, even if another cleanup has claimed it. */
export function claimPurge(data: MemoryData, request: PurgeClaim): CleanupTask | undefined {
  const row = data.roles.get(request.role);
  if (row === undefined || row.archiveRemoved || row.role.deletedAt === null) return undefined;
  return claim(data, { ...row, isPurged: true }, request);
}

export function countForCleanup(data: MemoryData, request: CleanupCountRequest): CleanupCount {
  return {
    archives: claimable(data, request).length,
    reservations: [...data.keys.values()].filter(isReservedBefore(request.begunBefore)).length,
  };
}

function claimable(
  data: MemoryData,
  { now, endedBefore }: Pick<CleanupRequest, 'now' | 'endedBefore'>,
): RoleRow[] {
  return [...data.roles.values()]
    .filter((row) => !row.archiveRemoved && (row.isPurged || endOf(row.role) <= endedBefore))
    .filter(({ claimableAt }) => claimableAt === undefined || claimableAt <= now);
}

export function settleCleanup(
  data: MemoryData,
  task: CleanupTask,
  outcome: CleanupOutcome,
  events: readonly HistoryEvent[],
): void {
  const row = data.roles.get(task.role);
  if (row === undefined || row.claim !== task.token) return;
  const settled = { ...row, claim: undefined, lastEventAt: insertSequenced(data, events, row.lastEventAt) };
  if (outcome.kind === 'removed') {
    data.roles.set(task.role, { ...settled, archiveRemoved: true });
    data.manifests.delete(row.role.archive);
    return;
  }
  const failures = row.failures + 1;
  data.roles.set(task.role, { ...settled, claimableAt: outcome.retryAt, failures });
}

/** In order of id, which is their order of creation too. */
export function namedArchives(data: MemoryData): readonly ArchiveId[] {
  const named = [...data.roles.values()].filter((row) => !row.archiveRemoved);
  return named.map(({ role }) => role.archive).sort();
}

/** The instant a role ends; a pinned role has none. */
function endOf({ deletedAt, expiresAt }: Role): number {
  return Math.min(deletedAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY);
}

function waitingSince({ claimableAt, role }: RoleRow): number {
  return claimableAt ?? endOf(role);
}
