import type {
  CleanupCountRequest,
  Instant,
  Page,
  Role,
  RoleCursor,
  RoleId,
  RoleQuery,
  RoleStore,
  Version,
} from '@pinfold/core';
import {
  FIRST_GENERATION,
  judgeCommit,
  judgeHolder,
  published,
  refuseAdmission,
} from '@pinfold/core/adapter';
import type { RoleRow, Rows, Rules } from './roles-sixth-rows.ts';

/** Roles that one page of a search looks at. */
const LOOKED_AT = 200;

/** A store of roles over rows: it keeps no events, and no account but its rate. */
export function rolesOf(rows: Rows, rules: Rules): RoleStore {
  return {
    ...reservations(rows, rules),
    ...commits(rows, rules),
    ...reads(rows, rules),
    ...cleaning(rows, rules),
  };
}

function reservations(
  rows: Rows,
  { nameOf, usedBy }: Rules,
): Pick<RoleStore, 'reserve' | 'renew' | 'release' | 'purge'> {
  const { keys } = rows;
  return {
    reserve: async (request) => {
      const { account, key, fingerprint, token, now, until, limits } = request;
      const held = judgeHolder(keys.get(nameOf(request)), request);
      if (held !== undefined) return held;
      const refused = refuseAdmission(accountOf(rows, account), request, {
        isForbidden: () => false,
        inService: () => usedBy(rows, account, now),
      });
      if (refused !== undefined) return refused;
      const row = { account, key, fingerprint, token, limits, begunAt: now, heldUntil: until };
      keys.set(nameOf(request), { ...row, role: null, warnings: null });
      return { kind: 'reserved', lease: { account, key, token } };
    },
    renew: async (lease, until) => {
      const row = keys.get(nameOf(lease));
      if (row?.token !== lease.token || row.role !== null) return { kind: 'lost' };
      keys.set(nameOf(lease), { ...row, heldUntil: until });
      return { kind: 'held' };
    },
    release: async (lease) => {
      const row = keys.get(nameOf(lease));
      if (row?.token === lease.token && row.role === null) keys.delete(nameOf(lease));
    },
    purge: async (begunBefore, limit) => {
      const old = reservationsBefore(rows, begunBefore).slice(0, limit);
      for (const name of old) keys.delete(name);
      return old.length;
    },
  };
}

function commits(rows: Rows, rules: Rules): Pick<RoleStore, 'commit' | 'save'> {
  const { keys, roles, manifests, marks, titles } = rows;
  const { nameOf, usedBy, judged, foldedAfter, asKept } = rules;
  return {
    commit: async (publication, lease) => {
      const { role, manifest, warnings } = publication;
      const key = keys.get(nameOf(lease));
      const judgement = judgeCommit(key, lease, role.id);
      if (key === undefined || judgement === 'lease_lost') return { kind: 'lease_lost' };
      if (judgement === 'committed') return { kind: 'committed' };
      const wish = { ...role, ...judged(publication, key) };
      const account = accountOf(rows, role.account);
      const refused = refuseAdmission(account, wish, {
        isForbidden: () => false,
        inService: () => usedBy(rows, role.account, wish.now),
      });
      if (refused !== undefined) return refused;
      marks.set(role.account, published(account, wish).publicationsMark);
      keys.set(nameOf(lease), { ...key, role: role.id, warnings: JSON.stringify(warnings) });
      manifests.set(role.archive, manifest);
      titles.set(role.id, foldedAfter('', role));
      roles.set(role.id, {
        role: asKept(role),
        committed: role,
        version: 1 as Version,
        isRemoved: false,
        claim: undefined,
        claimableAt: undefined,
        failures: 0,
      });
      return { kind: 'committed' };
    },
    save: async (role, loadedAt) => {
      const row = roles.get(role.id);
      if (row?.version !== loadedAt) return { kind: 'conflict' };
      titles.set(role.id, foldedAfter(titles.get(role.id) ?? '', role));
      roles.set(role.id, { ...row, role: asKept(role), version: next(row.version) });
      return { kind: 'saved' };
    },
  };
}

function reads(
  rows: Rows,
  rules: Rules,
): Pick<RoleStore, 'load' | 'loadManifest' | 'list' | 'loadComparison' | 'keepComparison'> {
  return {
    load: async (id, signal) => {
      signal?.throwIfAborted();
      const row = rows.roles.get(id);
      if (row === undefined) return undefined;
      const { role: value, version } = row;
      return { value, version, isHidden: false, accountGeneration: FIRST_GENERATION };
    },
    loadManifest: async (archive, signal) => {
      signal?.throwIfAborted();
      return rows.manifests.get(archive);
    },
    list: async (query) => listed(rows, query, rules),
    loadComparison: async () => rows.comparison,
    keepComparison: async (value, loadedAt) => {
      if (rows.comparison?.version !== loadedAt) return { kind: 'conflict' };
      const version = next(loadedAt ?? (0 as Version));
      rows.comparison = { value, version };
      return { kind: 'kept', version };
    },
  };
}

function cleaning(
  rows: Rows,
  { waitingSince, endOf }: Rules,
): Pick<
  RoleStore,
  'claimForCleanup' | 'settleCleanup' | 'countForCleanup' | 'whichAreNamed' | 'listArchives'
> {
  const { roles, manifests } = rows;
  const claimable = ({ now, endedBefore }: Pick<CleanupCountRequest, 'now' | 'endedBefore'>): RoleRow[] =>
    [...roles.values()].filter(
      ({ role, isRemoved, claimableAt }) =>
        !isRemoved && endOf(role) <= endedBefore && (claimableAt === undefined || claimableAt <= now),
    );
  return {
    claimForCleanup: async (request) => {
      const { token, until, limit } = request;
      const wanted = claimable(request)
        .sort((one, other) => waitingSince(one) - waitingSince(other))
        .slice(0, limit);
      for (const row of wanted) {
        roles.set(row.role.id, { ...row, version: next(row.version), claim: token, claimableAt: until });
      }
      return wanted.map(({ role: { id: role, account, archive }, failures }) => ({
        role,
        account,
        archive,
        token,
        failures,
      }));
    },
    settleCleanup: async (task, outcome) => {
      const row = roles.get(task.role);
      if (row === undefined || row.claim !== task.token) return;
      const settled = { ...row, claim: undefined };
      if (outcome.kind === 'removed') {
        roles.set(task.role, { ...settled, isRemoved: true });
        manifests.delete(row.role.archive);
      } else {
        roles.set(task.role, { ...settled, claimableAt: outcome.retryAt, failures: row.failures + 1 });
      }
    },
    countForCleanup: async (request) => ({
      archives: claimable(request).length,
      reservations: reservationsBefore(rows, request.begunBefore).length,
    }),
    whichAreNamed: async (ids) => {
      const named = new Set(archivesOf(rows));
      return new Set(ids.filter((id) => named.has(id)));
    },
    listArchives: async (after, limit) =>
      archivesOf(rows)
        .filter((id) => after === undefined || id > after)
        .slice(0, limit),
  };
}

function listed({ roles, titles }: Rows, query: RoleQuery, rules: Rules): Page<Role> {
  const { account, now, state, idempotencyKey, search, after, limit } = query;
  const behind = [...roles.values()]
    .map(({ role }) => role)
    .filter((role) => account === undefined || rules.isOf(role, account))
    .filter((role) => idempotencyKey === undefined || role.idempotencyKey === idempotencyKey)
    .filter((role) => idempotencyKey !== undefined || rules.isIn(role, state, now))
    .filter((role) => after === undefined || newestFirst(after, role) < 0)
    .sort(newestFirst);
  const window = search === undefined ? behind : behind.slice(0, LOOKED_AT);
  const found =
    search === undefined
      ? window
      : window.filter((role) => rules.isFound(role, search, titles.get(role.id) ?? ''));
  const items = found.slice(0, limit);
  if (found.length > limit) return { items, next: placeOf(items.at(-1)) };
  return { items, next: behind.length > window.length ? placeOf(window.at(-1)) : undefined };
}

export function newestFirst(one: RoleCursor, other: RoleCursor): number {
  if (one.publishedAt !== other.publishedAt) return other.publishedAt - one.publishedAt;
  if (one.id === other.id) return 0;
  return one.id > other.id ? -1 : 1;
}

export function placeOf(role: Role | undefined): RoleCursor | undefined {
  return role && { publishedAt: role.publishedAt, id: role.id };
}

export function archivesOf({ roles }: Rows): RoleRow['role']['archive'][] {
  return [...roles.values()]
    .filter(({ isRemoved }) => !isRemoved)
    .map(({ role }) => role.archive)
    .sort();
}

export function next(version: Version): Version {
  return (version + 1) as Version;
}

/** Sets columns of a role's row. */
export function update({ roles }: Rows, id: RoleId, columns: Partial<RoleRow>): void {
  const row = roles.get(id);
  if (row !== undefined) roles.set(id, { ...row, ...columns });
}

function accountOf({ marks }: Rows, account: string) {
  const limits = { requests: null, publications: null, sites: null, bytes: null };
  return { limits, publicationsMark: marks.get(account) ?? null, lastPublishedAt: null };
}

function reservationsBefore({ keys }: Rows, instant: Instant): readonly string[] {
  return [...keys].filter(([, row]) => row.role === null && row.begunAt < instant).map(([name]) => name);
}
