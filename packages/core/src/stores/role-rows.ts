import { filenameFolded, MAX_RANK, titleFolded } from '../adapter/pages.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId, RoleId } from '../domain/identity.ts';
import { after, CLOCK_TOLERANCE, type Duration, type Instant } from '../domain/instant.ts';
import { CHANGEABLE_MEMBERS, FIRST_GENERATION, type Role } from '../domain/role.ts';
import { CLAIM, type CleanupRequest, type CleanupTask, MAX_PAUSE } from '../ports/role-cleanup.ts';
import type { LoadedRole, Version, Versioned } from '../ports/role-store.ts';
import { gt, notNull, type Where } from '../records/conditions.ts';
import { all, type Step, type Steps, together } from '../records/step.ts';
import { find, update } from '../records/steps.ts';
import type { ChangesOf } from '../records/table.ts';
import type { AccountRow } from '../records/tables/account-tables.ts';
import { ROLES, type RoleRow } from '../records/tables/role-tables.ts';
import { type FeedEnds, feedEnds, insertEvents } from './events.ts';

export const ROLE = [
  'id',
  'account',
  'archive',
  'idempotencyKey',
  'title',
  'originalFilename',
  'fileCount',
  'size',
  'archiveBytes',
  'sha256',
  'publishedAt',
  'expiresAt',
  'pinned',
  'deletedAt',
  'passwordHash',
  'generation',
] as const;

/** The columns of {@link loadedRole}. */
export const LOADED: readonly [...typeof ROLE, 'version'] = [...ROLE, 'version'];
export const OWNER = ['blocked', 'generation'] as const;

/** Copies a role without the members of its row. Names each member, because V8 is slow with computed names. */
export function roleOf(row: Role): Role {
  return {
    id: row.id,
    account: row.account,
    archive: row.archive,
    idempotencyKey: row.idempotencyKey,
    title: row.title,
    originalFilename: row.originalFilename,
    fileCount: row.fileCount,
    size: row.size,
    archiveBytes: row.archiveBytes,
    sha256: row.sha256,
    publishedAt: row.publishedAt,
    expiresAt: row.expiresAt,
    pinned: row.pinned,
    deletedAt: row.deletedAt,
    passwordHash: row.passwordHash,
    generation: row.generation,
  };
}

/** Makes a role with the members of its account that viewers depend on. An account has no row before its first change. */
export function loadedRole(
  row: Pick<RoleRow, (typeof LOADED)[number]>,
  owner: Pick<AccountRow, (typeof OWNER)[number]> | undefined,
): LoadedRole {
  return {
    value: roleOf(row),
    version: row.version,
    isHidden: owner?.blocked?.sites === 'hide',
    accountGeneration: owner?.generation ?? FIRST_GENERATION,
  };
}

/** Copies a role for its caller, since an engine may share it. Names each member, because V8 is slow with a spread. */
export function copyOfLoaded({ value, version, isHidden, accountGeneration }: LoadedRole): LoadedRole {
  return { value: { ...value }, version, isHidden, accountGeneration };
}

/** Computes the members of a role's row that are derived from others. */
export function derivedMembers(
  role: Pick<Role, 'title' | 'originalFilename' | 'expiresAt' | 'deletedAt'>,
): Pick<RoleRow, 'titleFolded' | 'filenameFolded' | 'endedAt' | 'endingRank'> {
  const { expiresAt, deletedAt } = role;
  const ends = [expiresAt, deletedAt].filter((end) => end !== null);
  return {
    titleFolded: titleFolded(role),
    filenameFolded: filenameFolded(role),
    endedAt: ends.length === 0 ? null : (Math.min(...ends) as Instant),
    endingRank: expiresAt === null ? 0 : MAX_RANK - expiresAt,
  };
}

export function nextVersion({ version }: { readonly version: Version }): Version {
  return (version + 1) as Version;
}

/** The columns for {@link changeRoles}. */
export const CHANGED = ['id', 'lastEventAt'] as const;
const STORED = [...CHANGEABLE_MEMBERS, 'titleFolded', 'filenameFolded', 'endedAt', 'endingRank'] as const;
const SAVED = [...CHANGED, 'version', ...STORED] as const;

/** Reads a role under the lock of its account. */
export function* findRole<Selected extends keyof RoleRow>(
  account: AccountId,
  id: RoleId,
  select: readonly Selected[],
): Steps<Pick<RoleRow, Selected> | undefined, 'read'> {
  const [row] = yield* find(ROLES, { id, account }, { select });
  return row;
}

/** A change of a role, with its events. */
export interface RoleChange {
  readonly row: Pick<RoleRow, (typeof CHANGED)[number]>;
  readonly changes: ChangesOf<typeof ROLES>;
  readonly events: readonly HistoryEvent[];
}

/** Changes roles and appends their events, each at least a millisecond after the last one of its role. */
export function changeRoles(changed: readonly RoleChange[], ends: FeedEnds): readonly Step<void, 'write'>[] {
  const moved = changed.map(({ row: { id, lastEventAt }, changes, events }) => {
    const first = Math.max(lastEventAt + 1, events[0]?.at ?? 0);
    const dated = events.map((event, n) => ({ ...event, at: (first + n) as Instant }));
    const stored = { ...changes, lastEventAt: dated.at(-1)?.at ?? lastEventAt };
    return { step: update(ROLES, { id }, stored), dated };
  });
  const events = moved.flatMap(({ dated }) => dated);
  return [...moved.map(({ step }) => step), ...insertEvents(events, ends)];
}

/** Saves a changed role with its events; undefined if another change has saved it since it was loaded. */
export function* saveRole(
  { value: role, version }: Versioned<Role>,
  events: readonly HistoryEvent[],
): Steps<readonly Step<void, 'write'>[] | undefined, 'read'> {
  const [row, ends] = yield* together(findRole(role.account, role.id, SAVED), feedEnds(events));
  if (row?.version !== version) return undefined;
  // Writes only members that differ: a database would update every index of the others.
  const changed = { ...role, ...derivedMembers(role) };
  const changes = pick(
    changed,
    STORED.filter((member) => changed[member] !== row[member]),
  );
  // The new end needs an event, even if a clock that was ahead recorded the old one.
  const expiry = 'expiresAt' in changes ? { isExpiryRecorded: false } : {};
  return changeRoles([{ row, changes: { ...changes, ...expiry, version: nextVersion(row) }, events }], ends);
}

/** The columns for {@link claimRoles}. */
export const CLAIMED = ['id', 'account', 'archive', 'idempotencyKey', 'version', 'cleanupFailures'] as const;

/** Claims the archives of roles for removal. */
export function* claimRoles(
  rows: readonly Pick<RoleRow, (typeof CLAIMED)[number]>[],
  { token, until }: Pick<CleanupRequest, 'token' | 'until'>,
  more: Partial<Pick<RoleRow, 'isPurged'>> = {},
): Steps<readonly CleanupTask[]> {
  const claim = { ...more, cleanupToken: token, cleanupNotBefore: until };
  yield* all(...rows.map((row) => update(ROLES, { id: row.id }, { ...claim, version: nextVersion(row) })));
  return rows.map(({ id: role, account, archive, idempotencyKey, cleanupFailures: failures }) => {
    return { role, account, archive, idempotencyKey, token, failures };
  });
}

/** Claims and pauses made by a clock that was ahead: they count as ended, or they would delay a removal until then. */
export function claimedAhead(now: Instant): readonly Where<RoleRow>[] {
  const beyond = (length: Duration) => gt(after(after(now, length), CLOCK_TOLERANCE));
  return [
    { cleanupToken: notNull, cleanupNotBefore: beyond(CLAIM) },
    { cleanupToken: null, cleanupNotBefore: beyond(MAX_PAUSE) },
  ];
}

/** Appends events of a role without changing it. Returns whether the role exists. */
export function* appendEventsOfRole(
  account: AccountId,
  id: RoleId,
  events: readonly HistoryEvent[],
): Steps<boolean> {
  const [row, ends] = yield* together(findRole(account, id, CHANGED), feedEnds(events));
  if (row === undefined) return false;
  const own = events.map((event) => ({ ...event, pin: id }));
  yield* all(...changeRoles([{ row, changes: {}, events: own }], ends));
  return true;
}

/** Copies some members of a row. */
export function pick<Row extends object, Member extends keyof Row>(
  row: Row,
  members: readonly Member[],
): Pick<Row, Member> {
  return Object.fromEntries(members.map((member) => [member, row[member]])) as Pick<Row, Member>;
}
