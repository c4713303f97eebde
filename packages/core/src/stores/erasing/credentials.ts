import type { EventActor } from '../../domain/history.ts';
import type { Sha256 } from '../../domain/sha256.ts';
import { all } from '../../records/joining.ts';
import type { Step } from '../../records/step.ts';
import { find, remove, unlocked, update } from '../../records/steps.ts';
import {
  API_KEYS,
  ERASURES,
  type ErasureRow,
  PAIRINGS,
  SESSIONS,
  SIGN_IN_LINKS,
} from '../../records/tables/account-tables.ts';
import { credentialLock, pairingLock } from '../../records/tables/locks.ts';
import { type Advance, changeUnder, type Forgotten } from './advance.ts';

/** Rows that one step removes, each with a lock of its own. */
const AT_ONCE = 80;

const KEY = ['id', 'isEnsured', 'revokedAt'] as const;
const RANGE = { limit: AT_ONCE } as const;
const OF_SESSION = { ...RANGE, select: ['tokenHash', 'actor'] } as const;
const OF_LINK = { ...RANGE, select: ['tokenHash'] } as const;
const OF_CONSENT = { ...RANGE, select: ['secretHash', 'actor'] } as const;

/** What no secret has the hash of. */
const NO_SECRET = '0'.repeat(64) as Sha256;

/** The step that adds the persons among the actors of rows to those whose ids are looked for in every event. */
export function addPersons(
  { account, persons }: ErasureRow,
  rows: readonly { readonly actor: EventActor | null }[],
): readonly Step<void, 'write'>[] {
  const ids = rows.flatMap(({ actor }) => (actor?.kind === 'person' && actor.id !== null ? [actor.id] : []));
  const known = [...new Set([...persons, ...ids])];
  if (known.length === persons.length) return [];
  return [update(ERASURES, { account }, { persons: known, searchedTo: null, isSearched: false })];
}

export function* forgetSessions(erasure: ErasureRow, { more }: Advance): Forgotten {
  const rows = yield* find(SESSIONS, { account: erasure.account }, OF_SESSION);
  const locks = rows.map(({ tokenHash }) => credentialLock(tokenHash));
  return yield* changeUnder(locks, more, [
    ...rows.map(({ tokenHash }) => remove(SESSIONS, { tokenHash })),
    ...addPersons(erasure, rows),
  ]);
}

export function* forgetLinks({ account }: ErasureRow, { more }: Advance): Forgotten {
  const rows = yield* find(SIGN_IN_LINKS, { account }, OF_LINK);
  return yield* changeUnder(
    rows.map(({ tokenHash }) => credentialLock(tokenHash)),
    more,
    rows.map(({ tokenHash }) => remove(SIGN_IN_LINKS, { tokenHash })),
  );
}

export function* forgetConsents(erasure: ErasureRow, { more }: Advance): Forgotten {
  const rows = yield* find(PAIRINGS, { account: erasure.account }, OF_CONSENT);
  const locks = rows.map(({ secretHash }) => pairingLock(secretHash));
  return yield* changeUnder(locks, more, [
    ...rows.map(({ secretHash }) => remove(PAIRINGS, { secretHash })),
    ...addPersons(erasure, rows),
  ]);
}

/**
 * Removes keys. One that a setting named stays revoked for ever, and the oldest of all shows that there was a first start:
 * of these, id and revocation stay under the replacement.
 */
export function* forgetKeys({ account, replacement }: ErasureRow, { now, more }: Advance): Forgotten {
  const [rows, [first]] = yield* all(
    find(API_KEYS, { account }, { ...RANGE, select: KEY }),
    // Of any account. Unlocked, since the oldest one is never removed.
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
