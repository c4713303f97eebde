import { type ApiKey, type Consent, PAIRING_LIFETIME, type Pairing } from '../domain/api-key.ts';
import { isSameActor } from '../domain/history.ts';
import type { Sha256 } from '../domain/identity.ts';
import { after, CLOCK_TOLERANCE, type Instant } from '../domain/instant.ts';
import type { PairingStore, Registration } from '../ports/pairing-store.ts';
import { gt, lte } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, nothing, type Steps, together } from '../records/step.ts';
import { aggregate, find, get, remove, unlocked, update, upsert } from '../records/steps.ts';
import { ACCOUNTS, API_KEYS, PAIRINGS, type PairingRow, SESSIONS } from '../records/tables/account-tables.ts';
import {
  accountLock,
  credentialLock,
  FIRST_KEY_LOCK,
  lockOf,
  MODE_LOCK,
  PAIRINGS_LOCK,
  pairingLock,
} from '../records/tables/locks.ts';
import { createKey } from './api-key-store.ts';
import { BLOCKED, checkAccount, checkCredential, credentialLocks, getCredential } from './checks.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';
import {
  addChange,
  addQuery,
  addRemoval,
  type MoreLocks,
  moreLocks,
  tryWithLocks,
} from './store-programs.ts';

const PLACE = ['secretHash', 'account'] as const;
const ENDING = [...PLACE, 'endsAt'] as const;
const SESSION = ['apiKey', 'endsAt'] as const;
const AGREED = ['secretHash', 'actor'] as const;
const REVOKED = ['revokedAt'] as const;
const NO_CONSENT = { account: null, scopes: null, label: null, actor: null, session: null, apiKey: null };

type More = readonly string[];
type Agreement = Parameters<PairingStore['agree']>;

const findPairing = addQuery('pairings.find', (secretHash: Sha256) => get(PAIRINGS, { secretHash }));

const register = addChange('pairings.register', {
  locks: ([{ secretHash }, more]: readonly [Registration, More]) => ({
    exclusive: [PAIRINGS_LOCK, pairingLock(secretHash), ...more],
  }),
  *run([{ secretHash, endsAt, now, limit }, more]) {
    const [known, { count }] = yield* all(
      get(PAIRINGS, { secretHash }),
      // Unlocked, since those of all accounts count: PAIRINGS_LOCK prevents new ones, and one that ends only frees a place.
      unlocked(aggregate(PAIRINGS, { endsAt: [gt(now), lte(latestEnd(now))] })),
    );
    if (known !== undefined && isOpen(known, now)) return { kind: 'registered' };
    if (count >= limit) return { kind: 'full' };
    const missing = moreLocks(lockOf(accountLock, known?.account), more);
    if (missing !== undefined) return missing;
    yield* upsert(PAIRINGS, { secretHash, endsAt, ...NO_CONSENT });
    return { kind: 'registered' };
  },
});

const agree = addChange('pairings.agree', {
  locks: ([[secretHash, { account }, , events, credential], more]: readonly [Agreement, More]) => ({
    exclusive: [pairingLock(secretHash), accountLock(account), ...eventLocks(events), ...more],
    shared: credentialLocks(credential),
  }),
  *run([[secretHash, consent, now, events, credential = {}], more]) {
    const { account: name, session } = consent;
    const [known, ofSession, account, caller, ends] = yield* together(
      get(PAIRINGS, { secretHash }),
      find(PAIRINGS, { account: name, session }, { select: AGREED }),
      get(ACCOUNTS, { name }, BLOCKED),
      getCredential(credential),
      feedEnds(events),
    );
    const refusal = checkCredential(credential, caller, { name, account });
    if (refusal !== undefined) return refusal;
    if (known === undefined || !isOpen(known, now)) return { kind: 'unknown' };
    const { consent: earlier } = pairingOf(known);
    const held = [accountLock(name), ...more];
    const checked = earlier === null ? false : yield* isInForce(earlier, now, held);
    if (checked === true) return { kind: 'exists' };
    if (checked !== false) return checked;
    const replaced = ofSession.filter(
      (other) =>
        other.secretHash !== secretHash && other.actor !== null && isSameActor(other.actor, consent.actor),
    );
    const missing = moreLocks(
      replaced.map((other) => pairingLock(other.secretHash)),
      held,
    );
    if (missing !== undefined) return missing;
    yield* all(
      ...replaced.map((other) => update(PAIRINGS, { secretHash: other.secretHash }, NO_CONSENT)),
      update(PAIRINGS, { secretHash }, consent),
      ...insertEvents(events, ends),
    );
    return { kind: 'agreed' };
  },
});

const take = addChange('pairings.take', {
  locks: ([[{ secretHash, key }], more]: readonly [Parameters<PairingStore['take']>, More]) => ({
    exclusive: [pairingLock(secretHash), credentialLock(key.id), ...more],
    shared: [MODE_LOCK, FIRST_KEY_LOCK],
  }),
  *run([[{ secretHash, now, key: wanted, limit }, events], more]) {
    const row = yield* get(PAIRINGS, { secretHash });
    if (row === undefined || !isOpen(row, now)) return { kind: 'unknown' };
    const { consent } = pairingOf(row);
    if (consent === null) return { kind: 'waiting' };
    const checked = yield* isInForce(consent, now, more);
    if (checked === false) return { kind: 'waiting' };
    if (checked !== true) return checked;
    const { account, scopes, label, actor } = consent;
    const key: ApiKey = { ...wanted, account, scopes, label };
    const attributed = events.map((event) => ({ ...event, account, actor }));
    const creation = { key, events: attributed, authority: 'account', limit } as const;
    const outcome = yield* createKey(creation, checkAccount(account));
    if (outcome.kind !== 'created') return outcome;
    yield* remove(PAIRINGS, { secretHash });
    return { kind: 'created', key };
  },
});

const purge = addRemoval('pairings.purge', {
  find: (endedBy: Instant, limit) =>
    find(PAIRINGS, { endsAt: lte(endedBy) }, { order: ['endsAt'], limit, select: PLACE }),
  locks: ({ secretHash, account }) => [pairingLock(secretHash), ...lockOf(accountLock, account)],
  *remove(places, endedBy) {
    const rows = yield* all(...places.map(({ secretHash }) => get(PAIRINGS, { secretHash }, ENDING)));
    const locked = places.map(({ account }) => account);
    // A pairing may have been registered again since, or have the consent of an account that is not locked.
    const ended = rows
      .filter((row) => row !== undefined)
      .filter(({ account, endsAt }) => endsAt <= endedBy && locked.includes(account));
    yield* all(...ended.map(({ secretHash }) => remove(PAIRINGS, { secretHash })));
    return ended.length;
  },
});

export function pairingStore(database: Database): PairingStore {
  return {
    register: (request) => tryWithLocks((more) => database.write(register, [request, more])),
    agree: (...agreed) => tryWithLocks((more) => database.write(agree, [agreed, more])),
    find: async (secretHash, now) => {
      const row = await database.read(findPairing, secretHash);
      return row !== undefined && isOpen(row, now) ? pairingOf(row) : undefined;
    },
    take: (...taken) => tryWithLocks((more) => database.write(take, [taken, more])),
    purge: (endedBy, limit) => purge(database, endedBy, limit),
  };
}

/** The latest end of a pairing registered by now: a clock that was ahead made a later one, which would last for days. */
function latestEnd(now: Instant): Instant {
  return after(after(now, PAIRING_LIFETIME), CLOCK_TOLERANCE);
}

function isOpen({ endsAt }: Pick<PairingRow, 'endsAt'>, now: Instant): boolean {
  return endsAt > now && endsAt <= latestEnd(now);
}

/** Whether the row has a consent; only `session` and `apiKey` may be null then. */
function hasConsent(row: PairingRow): row is PairingRow & Consent {
  return row.account !== null;
}

function pairingOf(row: PairingRow): Pairing {
  const { secretHash, endsAt } = row;
  if (!hasConsent(row)) return { secretHash, endsAt, consent: null };
  const { account, scopes, label, actor, session, apiKey } = row;
  return { secretHash, endsAt, consent: { account, scopes, label, actor, session, apiKey } };
}

/** Whether the session and the key that gave a consent are still valid, or the locks that are needed to find out. */
function* isInForce(
  { account, session, apiKey }: Consent,
  now: Instant,
  held: readonly string[],
): Steps<boolean | MoreLocks, 'read'> {
  // Unlocked: read only to find the locks, and again once they are held.
  const row = session === null ? undefined : yield* unlocked(get(SESSIONS, { tokenHash: session }, SESSION));
  const wanted = [accountLock(account), ...credentialLocks({ key: apiKey, session })];
  const missing = moreLocks([...wanted, ...lockOf(credentialLock, row?.apiKey)], held);
  if (missing !== undefined) return missing;
  const keyOfSession = row?.apiKey ?? null;
  const [ofSession, own] = yield* all(
    keyOfSession === null ? nothing : get(API_KEYS, { id: keyOfSession }, REVOKED),
    apiKey === null ? nothing : get(API_KEYS, { id: apiKey }, REVOKED),
  );
  if (session !== null && (row === undefined || row.endsAt <= now)) return false;
  if (keyOfSession !== null && ofSession?.revokedAt !== null) return false;
  // A key that an embedding application manages has no row here.
  return (own?.revokedAt ?? null) === null;
}
