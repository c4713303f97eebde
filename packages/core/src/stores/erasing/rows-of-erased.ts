import type { RoleId, Sha256 } from '../../domain/identity.ts';
import { instant } from '../../domain/instant.ts';
import { withoutHash } from '../../domain/password.ts';
import type { Generation } from '../../domain/role.ts';
import { notNull, oneOf } from '../../records/conditions.ts';
import { all, type Step, together } from '../../records/step.ts';
import { find, remove, unlocked, update } from '../../records/steps.ts';
import {
  API_KEYS,
  ATTEMPT_WINDOWS,
  ATTEMPTS,
  type ErasureRow,
  PAIRINGS,
  SESSIONS,
  SIGN_IN_LINKS,
} from '../../records/tables/account-tables.ts';
import {
  archiveLock,
  attemptsLock,
  credentialLock,
  idempotencyLock,
  pairingLock,
  VIEWS_LOCK,
} from '../../records/tables/locks.ts';
import {
  IDEMPOTENCY_KEYS,
  NAMES,
  ROLES,
  type RoleRow,
  TAKEDOWNS,
  VIEWS,
} from '../../records/tables/role-tables.ts';
import { feedEnds } from '../events.ts';
import { CHANGED, changeRoles, derivedMembers, nextVersion, type RoleChange } from '../role-rows.ts';
import {
  type Advance,
  addPersons,
  changeUnder,
  erasureEvent,
  type ForgetSteps,
  otherLocks,
} from './erasure-steps.ts';

/** The maximum number of rows that one step removes, each with a lock of its own. */
const AT_ONCE = 80;

const KEY = ['id', 'isEnsured', 'revokedAt'] as const;
const RANGE = { limit: AT_ONCE } as const;
const OF_SESSION = { ...RANGE, select: ['tokenHash', 'actor'] } as const;
const OF_LINK = { ...RANGE, select: ['tokenHash'] } as const;
const OF_CONSENT = { ...RANGE, select: ['secretHash', 'actor'] } as const;

/** A hash that no secret has. */
const NO_SECRET = '0'.repeat(64) as Sha256;

export function* forgetSessions(erasure: ErasureRow, { more }: Advance): ForgetSteps {
  const rows = yield* find(SESSIONS, { account: erasure.account }, OF_SESSION);
  const locks = rows.map(({ tokenHash }) => credentialLock(tokenHash));
  return yield* changeUnder(locks, more, [
    ...rows.map(({ tokenHash }) => remove(SESSIONS, { tokenHash })),
    ...addPersons(erasure, rows),
  ]);
}

export function* forgetLinks({ account }: ErasureRow, { more }: Advance): ForgetSteps {
  const rows = yield* find(SIGN_IN_LINKS, { account }, OF_LINK);
  return yield* changeUnder(
    rows.map(({ tokenHash }) => credentialLock(tokenHash)),
    more,
    rows.map(({ tokenHash }) => remove(SIGN_IN_LINKS, { tokenHash })),
  );
}

export function* forgetConsents(erasure: ErasureRow, { more }: Advance): ForgetSteps {
  const rows = yield* find(PAIRINGS, { account: erasure.account }, OF_CONSENT);
  const locks = rows.map(({ secretHash }) => pairingLock(secretHash));
  return yield* changeUnder(locks, more, [
    ...rows.map(({ secretHash }) => remove(PAIRINGS, { secretHash })),
    ...addPersons(erasure, rows),
  ]);
}

/**
 * Removes keys. Two kinds stay under the replacement, revoked and without data: keys that a setting names, which it would
 * create again, and the oldest key of all, which shows that there was a first start.
 */
export function* forgetKeys({ account, replacement }: ErasureRow, { now, more }: Advance): ForgetSteps {
  const [rows, [first]] = yield* all(
    find(API_KEYS, { account }, { ...RANGE, select: KEY }),
    // Unlocked, since the key may be of any account: the oldest one is never removed.
    unlocked(find(API_KEYS, {}, { order: ['createdAt', 'id'], limit: 1, select: ['id'] })),
  );
  const oldest = first?.id;
  return yield* changeUnder(
    rows.map(({ id }) => credentialLock(id)),
    more,
    rows.map(({ id, isEnsured, revokedAt }) => {
      if (!isEnsured && id !== oldest) return remove(API_KEYS, { id });
      const revoked = { revokedAt: revokedAt ?? now, lastUsedAt: null };
      const empty = { account: replacement, scopes: [], label: '', secretHash: NO_SECRET };
      return update(API_KEYS, { id }, { ...empty, ...revoked });
    }),
  );
}

/** Maximum roles that one step moves: each has a lock for its Idempotency-Key and one for its password tries. */
export const ROLES_AT_ONCE = 40;
/** The maximum number of password tries that one step removes. */
const TRIES_AT_ONCE = 500;

const MOVED = [
  ...CHANGED,
  'idempotencyKey',
  'passwordHash',
  'publishedAt',
  'expiresAt',
  'deletedAt',
  'generation',
  'version',
  'hasArchive',
] as const;

type MovedRole = Pick<RoleRow, (typeof MOVED)[number]>;

/** The maximum number of names that one step removes, all under the lock of their account. */
const NAMES_AT_ONCE = 500;

export function* forgetNames({ account }: ErasureRow): ForgetSteps {
  const names = yield* find(NAMES, { account }, { limit: NAMES_AT_ONCE, select: ['name'] });
  if (names.length === 0) return undefined;
  yield* all(...names.map(({ name }) => remove(NAMES, { account, name })));
  return 'continued';
}

/** Stops roles, and moves them to the replacement without texts, keys, views and tries. */
export function* forgetRoles(erasure: ErasureRow, step: Advance): ForgetSteps {
  const { account } = erasure;
  const range = { order: ['publishedAt', 'id'] as const, limit: ROLES_AT_ONCE, select: MOVED };
  const found = yield* all(
    find(ROLES, { account, deletedAt: null }, range),
    find(ROLES, { account, deletedAt: notNull }, range),
  );
  const rows = found.flat().slice(0, ROLES_AT_ONCE);
  if (rows.length === 0) return undefined;
  const locks = rows.flatMap(({ id, idempotencyKey: key }) => [
    attemptsLock(id),
    ...(key === null ? [] : [idempotencyLock(account, key)]),
  ]);
  const missing = otherLocks([VIEWS_LOCK, ...locks], step.more);
  if (missing !== undefined) return missing;
  const removals = yield* findTryRemovals(rows.map(({ id }) => id));
  if (removals.length > 0) {
    yield* all(...removals);
    return 'continued';
  }
  yield* moveRoles(erasure, step, rows);
  return 'continued';
}

function* moveRoles(erasure: ErasureRow, { now, ids }: Advance, rows: readonly MovedRole[]) {
  const { account, replacement, actor } = erasure;
  const changed = rows.map((row, n): RoleChange => {
    const stop = { type: 'pin.stopped', at: now, ids: ids.slice(n), pin: row.id } as const;
    const events =
      row.deletedAt === null
        ? [erasureEvent(erasure, { ...stop, actor: { kind: actor.kind, id: null } })]
        : [];
    const deletedAt = row.deletedAt ?? now;
    const generation = (row.generation + events.length) as Generation;
    const withoutTexts = { title: null, originalFilename: null };
    const cleanup = {
      isPurged: row.hasArchive,
      cleanupToken: null,
      // The earliest instant, so that no clock that is ahead delays the removal.
      cleanupNotBefore: row.hasArchive ? instant(0) : null,
    };
    const derived = derivedMembers({ ...row, ...withoutTexts, deletedAt });
    const rest = { passwordHash: withoutHash(row.passwordHash), version: nextVersion(row) };
    const moved = { account: replacement, idempotencyKey: null, deletedAt, generation };
    return { row, changes: { ...moved, ...withoutTexts, ...cleanup, ...derived, ...rest }, events };
  });
  const [views, ends] = yield* together(
    find(VIEWS, { role: oneOf(rows.map(({ id }) => id)) }, { select: ['role', 'day'] }),
    feedEnds(changed.flatMap(({ events }) => events)),
  );
  yield* all(
    ...changeRoles(changed, ends),
    ...views.map((key) => remove(VIEWS, key)),
    ...rows.flatMap(({ idempotencyKey: key }) =>
      key === null ? [] : [remove(IDEMPOTENCY_KEYS, { account, key })],
    ),
  );
}

/** Finds password tries of some roles, and returns the steps that remove them. */
function* findTryRemovals(ids: readonly RoleId[]) {
  const range = { limit: TRIES_AT_ONCE, select: ['role', 'number'] as const };
  const [windows, tries] = yield* all(
    all(...ids.map((role) => find(ATTEMPT_WINDOWS, { role }, range))),
    all(...ids.map((role) => find(ATTEMPTS, { role }, range))),
  );
  const removals: readonly Step<void, 'write'>[] = [
    ...windows.flat().map((key) => remove(ATTEMPT_WINDOWS, key)),
    ...tries.flat().map((key) => remove(ATTEMPTS, key)),
  ];
  return removals.slice(0, TRIES_AT_ONCE);
}

/** Removes Idempotency-Keys without a role: reservations of publications that can no longer be committed. */
export function* forgetReservations({ account }: ErasureRow, { more }: Advance): ForgetSteps {
  // Unlocked: the lock of a row depends on the row, which is read again under that lock.
  const rows = yield* unlocked(find(IDEMPOTENCY_KEYS, { account }, { limit: AT_ONCE, select: ['key'] }));
  return yield* changeUnder(
    rows.map(({ key }) => idempotencyLock(account, key)),
    more,
    rows.map(({ key }) => remove(IDEMPOTENCY_KEYS, { account, key })),
  );
}

/** Moves takedowns to the replacement: they remain in force. */
export function* forgetTakedowns({ account, replacement }: ErasureRow, { more }: Advance): ForgetSteps {
  // Unlocked: the lock of a row depends on the row, which is read again under that lock.
  const rows = yield* unlocked(find(TAKEDOWNS, { account }, { limit: AT_ONCE, select: ['id', 'sha256'] }));
  return yield* changeUnder(
    rows.map(({ sha256 }) => archiveLock(sha256)),
    more,
    rows.map((key) => update(TAKEDOWNS, key, { account: replacement })),
  );
}
