import type {
  ArchiveId,
  CleanupCount,
  CleanupCountRequest,
  CleanupOutcome,
  CleanupRequest,
  CleanupTask,
  HistoryEvent,
  Instant,
  NextForCleanup,
  Role,
  RoleId,
  Version,
} from '@pinfold/core';
import { DROPPED_HASH } from '@pinfold/core/internal';
import { isReservedBefore, type ModelData, type ModelRole } from './model-data.ts';

export function claimForCleanup(data: ModelData, request: CleanupRequest): readonly CleanupTask[] {
  const tasks: CleanupTask[] = [];
  for (;;) {
    const others = chooseBeside(data, request).filter(({ role }) =>
      tasks.every((task) => task.role !== role.id),
    );
    const chosen = others.slice(0, request.limit - tasks.length);
    if (chosen.length === 0) return tasks;
    tasks.push(...longestFirst(chosen).map((row) => claim(data, row, request)));
  }
}

function claim(data: ModelData, row: ModelRole, { token, until }: CleanupRequest): CleanupTask {
  const { id, account, archive, idempotencyKey } = row.role;
  const version = (row.version + 1) as Version;
  data.roles.set(id, { ...row, version, claim: token, claimableAt: until });
  return { role: id, account, archive, idempotencyKey, token, failures: row.failures };
}

/** What waits, the longest first; where others have claims, account by account, and first those without any. */
function chooseBeside(data: ModelData, request: CleanupRequest): readonly ModelRole[] {
  const { now, until, token } = request;
  const waiting = longestFirst(claimable(data, request));
  const others = [...data.roles.values()].filter(
    ({ claim: theirs, claimableAt = now }) =>
      theirs !== undefined && theirs !== token && claimableAt > now && claimableAt <= until,
  );
  if (others.length === 0) return waiting;
  const taken = new Set(others.map(({ role }) => role.account));
  const byAccount = Map.groupBy(waiting, ({ role }) => role.account);
  const free = [...byAccount].filter(([account]) => !taken.has(account));
  return (free.length > 0 ? free : [...byAccount]).flatMap(([, rows]) => rows);
}

export function countForCleanup(data: ModelData, request: CleanupCountRequest): CleanupCount {
  return {
    archives: claimable(data, request).length,
    reservations: [...data.keys.values()].filter(isReservedBefore(request.begunBefore)).length,
  };
}

export function nextForCleanup(data: ModelData, request: NextForCleanup): readonly RoleId[] {
  return longestFirst(claimable(data, request))
    .slice(0, request.limit)
    .map(({ role }) => role.id);
}

export function settleCleanup(
  data: ModelData,
  task: CleanupTask,
  outcome: CleanupOutcome,
  events: readonly HistoryEvent[],
): void {
  const row = data.roles.get(task.role);
  if (row === undefined || row.claim !== task.token) return;
  const settled = { ...row, claim: undefined, lastEventAt: data.tell(events, row.lastEventAt) };
  if (outcome.kind === 'removed') {
    const passwordHash = row.role.passwordHash === null ? null : DROPPED_HASH;
    const version = (row.version + 1) as Version;
    const role = { ...row.role, passwordHash };
    data.roles.set(task.role, { ...settled, role, version, archiveRemoved: true });
    data.manifests.delete(role.archive);
    for (const [name, key] of data.keys) {
      if (key.role === role.id) data.keys.set(name, { ...key, warnings: [] });
    }
  } else {
    data.roles.set(task.role, { ...settled, claimableAt: outcome.retryAt, failures: row.failures + 1 });
  }
}

export function purge({ keys }: ModelData, begunBefore: Instant, limit: number): number {
  const isOld = isReservedBefore(begunBefore);
  const old = [...keys].filter(([, row]) => isOld(row)).slice(0, limit);
  for (const [name] of old) keys.delete(name);
  return old.length;
}

/** In order of id, which is their order of creation too. */
export function namedArchives({ roles }: ModelData): readonly ArchiveId[] {
  const named = [...roles.values()].filter((row) => !row.archiveRemoved);
  return named.map(({ role }) => role.archive).sort();
}

function claimable(
  { roles }: ModelData,
  { now, endedBefore }: Pick<CleanupRequest, 'now' | 'endedBefore'>,
): ModelRole[] {
  return [...roles.values()]
    .filter((row) => !row.archiveRemoved && endOf(row.role) <= endedBefore)
    .filter(({ claimableAt }) => claimableAt === undefined || claimableAt <= now);
}

/** The instant a role ends; a pinned role has none. */
function endOf({ deletedAt, expiresAt }: Role): number {
  return Math.min(deletedAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY);
}

function longestFirst(rows: readonly ModelRole[]): readonly ModelRole[] {
  return rows.toSorted((one, other) => waitingSince(one) - waitingSince(other));
}

function waitingSince({ claimableAt, role }: ModelRole): number {
  return claimableAt ?? endOf(role);
}
