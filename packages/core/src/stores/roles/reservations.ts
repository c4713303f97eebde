import { checkAuthority } from '../../domain/admission.ts';
import { after, CLOCK_TOLERANCE, type Instant } from '../../domain/instant.ts';
import type { Lease, Reservation, ReserveOutcome, RoleStore } from '../../ports/role-store.ts';
import { lt } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import type { Locks } from '../../records/program.ts';
import { all, type Steps, together } from '../../records/step.ts';
import { find, get, remove, unlocked, update, upsert } from '../../records/steps.ts';
import { ACCOUNTS } from '../../records/tables/account-tables.ts';
import { idempotencyLock, MODE_LOCK } from '../../records/tables/locks.ts';
import { IDEMPOTENCY_KEYS, type IdempotencyKeyRow } from '../../records/tables/role-tables.ts';
import { ADMITTING, admit, readAdmission } from '../admission.ts';
import { checkCredential, credentialLocks, getCredential } from '../checks.ts';
import { getMode, modeOf } from '../service-mode.ts';
import { addChange, addChangeQuery, addQuery, addRemoval } from '../store-programs.ts';

const ACCOUNT_GONE = { kind: 'account_gone' } as const;
const LEASED = ['token', 'role'] as const;
const FOUND = ['key'] as const;
const RESERVED = ['account', 'key', 'begunAt', 'role'] as const;

function keyLocks({ account, key }: Pick<Lease, 'account' | 'key'>): Locks {
  return { exclusive: [idempotencyLock(account, key)] };
}

/** The columns for {@link judgeHolder}. */
const HOLDER = ['fingerprint', 'begunAt', 'heldUntil', 'role', 'warnings'] as const;

/** Decides a reservation by the key's row; undefined if the key can be reserved. */
function judgeHolder(
  row: Pick<IdempotencyKeyRow, (typeof HOLDER)[number]> | undefined,
  { fingerprint, now, until }: Pick<Reservation, 'fingerprint' | 'now' | 'until'>,
): ReserveOutcome | undefined {
  if (row === undefined || (row.role === null && row.heldUntil <= now)) return undefined;
  if (row.fingerprint !== fingerprint) return { kind: 'mismatch' };
  // A clock that was ahead began or renewed this reservation, which would block the caller until then.
  const isAhead = row.begunAt > after(now, CLOCK_TOLERANCE) || row.heldUntil > after(until, CLOCK_TOLERANCE);
  if (row.role === null && isAhead) return undefined;
  if (row.role === null) return { kind: 'in_progress', until: row.heldUntil };
  return { kind: 'complete', role: row.role, warnings: row.warnings ?? [] };
}

/**
 * Decides a reservation; `outcome` is undefined if the key can be reserved. A key that is held already does not count
 * against the rate.
 *
 * Reads the account without its lock, so that publications do not wait for each other: the commit decides again under it.
 */
function* judge(request: Reservation) {
  const { account, key, name, credential = {}, wasKnown = false } = request;
  const candidate = { ...request, name };
  const [[row, owner, mode, caller], facts] = yield* together(
    all(
      get(IDEMPOTENCY_KEYS, { account, key }, HOLDER),
      unlocked(get(ACCOUNTS, { name: account }, ADMITTING)),
      getMode,
      getCredential(credential),
    ),
    readAdmission(candidate, unlocked),
  );
  const isKnown = owner !== undefined;
  const outcome =
    checkCredential(credential, caller, { name: account, account: owner }) ??
    checkAuthority(owner, modeOf(mode)) ??
    judgeHolder(row, request) ??
    (wasKnown && !isKnown ? ACCOUNT_GONE : undefined) ??
    (yield* admit(owner, candidate, facts, unlocked));
  return { outcome, isKnown };
}

const findKey = addQuery('roles.find_key', ({ account, key }: Reservation) =>
  get(IDEMPOTENCY_KEYS, { account, key }, FOUND),
);

const judgeReservation = addChangeQuery('roles.judge_reservation', judge);

const reserve = addChange('roles.reserve', {
  locks: (request: Reservation) => ({
    ...keyLocks(request),
    shared: [MODE_LOCK, ...credentialLocks(request.credential)],
  }),
  *run(request): Steps<ReserveOutcome> {
    const { account, key, fingerprint, token, now, until } = request;
    const { outcome, isKnown } = yield* judge(request);
    if (outcome !== undefined) return outcome;
    const row = { account, key, fingerprint, token, begunAt: now, heldUntil: until };
    yield* upsert(IDEMPOTENCY_KEYS, { ...row, role: null, warnings: null });
    return { kind: 'reserved', lease: { account, key, token }, isKnown };
  },
});

/** Whether the lease still holds its reservation. */
function* isHeld({ account, key, token }: Lease): Steps<boolean, 'read'> {
  const row = yield* get(IDEMPOTENCY_KEYS, { account, key }, LEASED);
  return row?.token === token && row.role === null;
}

const renew = addChange('roles.renew', {
  locks: ([lease]: Parameters<RoleStore['renew']>) => keyLocks(lease),
  *run([lease, until]) {
    if (!(yield* isHeld(lease))) return { kind: 'lost' };
    const { account, key } = lease;
    yield* update(IDEMPOTENCY_KEYS, { account, key }, { heldUntil: until });
    return { kind: 'held' };
  },
});

const release = addChange('roles.release', {
  locks: (lease: Lease) => keyLocks(lease),
  *run(lease) {
    const { account, key } = lease;
    if (yield* isHeld(lease)) yield* remove(IDEMPOTENCY_KEYS, { account, key });
  },
});

const KEY = ['account', 'key'] as const;

/** Removes reservations that began before an instant. */
const removeReservations = addRemoval('roles.remove_reservations', {
  find: (begunBefore: Instant, limit) => {
    const reserved = { role: null, begunAt: lt(begunBefore) };
    return find(IDEMPOTENCY_KEYS, reserved, { order: ['begunAt'], limit, select: KEY });
  },
  locks: ({ account, key }) => [idempotencyLock(account, key)],
  *remove(keys, begunBefore) {
    const rows = yield* all(
      ...keys.map(({ account, key }) => get(IDEMPOTENCY_KEYS, { account, key }, RESERVED)),
    );
    const old = rows.flatMap((row) => (row?.role === null && row.begunAt < begunBefore ? [row] : []));
    yield* all(...old.map(({ account, key }) => remove(IDEMPOTENCY_KEYS, { account, key })));
    return old.length;
  },
});

export function reservations(database: Database): Pick<RoleStore, 'reserve' | 'renew' | 'release' | 'purge'> {
  return {
    reserve: async (request) => {
      // Reads first in a serial database, so that a replay does not wait for programs that write.
      const known = database.isSerial ? await database.read(findKey, request) : undefined;
      const judged = known === undefined ? undefined : await database.read(judgeReservation, request);
      return judged?.outcome ?? database.write(reserve, request);
    },
    renew: (...renewal) => database.write(renew, renewal),
    release: (lease) => database.write(release, lease),
    purge: async (begunBefore, limit) => {
      // A sweep calls this batch after batch; other callers run in between.
      await database.pause();
      return removeReservations(database, begunBefore, limit);
    },
  };
}
