import { MemoryTables } from '@pinfold/memory/internal';
import {
  ACCOUNT,
  aComparison,
  aConsent,
  aLink,
  anAccount,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPairingRedemption,
  aPublication,
  aRedemption,
  aRegistration,
  aReservation,
  aRole,
  aRoleId,
  aSession,
  aSha256,
  aTakedown,
  aToken,
  aTokenHash,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  type AccountId,
  type Attempt,
  type AttemptTicket,
  after,
  type Block,
  before,
  type CleanupOutcome,
  type Day,
  days,
  type EventId,
  type HistoryEvent,
  hours,
  type Instant,
  minutes,
  type NameToken,
  type PinName,
  type PublicationEvent,
  type Role,
  type RoleCommit,
  type Session,
  type Title,
  type Version,
} from '../../../src/index.ts';
import { dayOf } from '../../../src/internal.ts';
import { beginErasure, ERASING_CALLS, eraseAllButArchives } from './erasing-calls.ts';
import { type Call, playAlone } from './every-order.ts';
import { NumberedTables } from './numbered-tables.ts';

const OTHER = 'other' as AccountId;
const END = after(START, days(7));
const LATER = after(START, days(8));
const SOON = after(START, minutes(1));
const SESSION_LIMITS = { ofActor: 2, ofAccount: 2 };
const VERSION = 1 as Version;
const readEvent = (n: number) =>
  event(n, { pin: aRoleId(1), type: 'pin.archive_read' })[0] as PublicationEvent;
const BOUNDED = { publications: { count: 4, window: hours(1) }, sites: 3, bytes: null, names: 2 };
const BY_KEY = { key: anApiKeyId(1) };
const OF_OTHER = { account: OTHER };
const BY_SESSION = { session: aTokenHash(1) };
const DAY = dayOf(START);
const BLOCK: Block = { reason: 'Spam.', sites: 'keep', at: START };

/** The same event each time for one number. */
function event(n: number, more: Partial<HistoryEvent> = {}): readonly HistoryEvent[] {
  return [anEvent({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as EventId, ...more })];
}

function reserve(n: number, more: Partial<Role> = {}): Call {
  const { sha256 = aSha256(n) } = more;
  return ({ roles }) => roles.reserve(aReservation(n, { sha256 }));
}

function commit(n: number, more: Partial<RoleCommit> = {}, role: Partial<Role> = {}): Call {
  const publication = { ...aPublication(n, role), ...more };
  return ({ roles }) => roles.commit(publication, leaseOf(aReservation(n)), event(n, { pin: aRoleId(n) }));
}

function named(name: string): Pick<RoleCommit, 'name'> {
  return { name: { name: name as PinName, token: `${name}-0123456789abcdefgh` as NameToken } };
}

/** A session that is still valid while earlier ones are purged. */
function aLaterSession(n: number): Session {
  return aSession(n, { startedAt: after(START, hours(6)), endsAt: after(START, hours(18)) });
}

function setName(name: string, n: number): Call {
  const change = { account: ACCOUNT, name: name as PinName, role: aRoleId(n), now: START, limit: 2 };
  const token = `${name}-0123456789abcdefgh` as NameToken;
  return ({ names }) => names.set({ ...change, token, credential: BY_KEY }, event(100 + n));
}

const attempt: Attempt = {
  role: aRoleId(1),
  address: '192.0.2.1',
  now: START,
  window: minutes(5),
  perAddress: 3,
  perRole: 300,
};

function ticket(number: number): AttemptTicket {
  return JSON.stringify([aRoleId(1), number, number]) as AttemptTicket;
}

function stop(n: number): Call {
  return ({ roles }) => roles.save(aRole(n, { deletedAt: START }), VERSION, event(200 + n));
}

function takeDown(n: number, eventNumber: number, account: AccountId): Call {
  const takedown = aTakedown(90, { account, sha256: aSha256(n) });
  return ({ takedowns }) => takedowns.takeDown(takedown, undefined, event(eventNumber, { account }));
}

function claim(n: number, now: Instant): Call {
  const request = { now, endedBefore: now, token: aToken(n), until: after(now, minutes(1)), limit: 2 };
  return ({ roles }) => roles.claimForCleanup(request);
}

function settle(outcome: CleanupOutcome): Call {
  const { id, account, archive, idempotencyKey } = aRole(3);
  const task = { role: id, account, archive, idempotencyKey, token: aToken(60), failures: 0 };
  return ({ roles }) => roles.settleCleanup(task, outcome, event(400));
}

const KEYS: readonly Call[] = [
  ({ apiKeys }) => apiKeys.create(anApiKey(9), []),
  ({ apiKeys }) => apiKeys.create(anApiKey(1, { account: OTHER }), []),
  ({ apiKeys }) => apiKeys.create(anApiKey(2), []),
  ({ apiKeys }) => apiKeys.revoke(anApiKeyId(2), START, []),
];

/** Calls that store the initial data. The tries come first: their tickets count from 1. */
const BEFORE: readonly Call[] = [
  ({ attempts }) => attempts.begin(attempt),
  ({ attempts }) => attempts.begin(attempt),
  // The second one ends last, so that a cleanup claims the others.
  ...[1, 2, 3].flatMap((n) => [reserve(n), commit(n, {}, { expiresAt: n === 2 ? LATER : END })]),
  stop(3),
  claim(60, SOON),
  reserve(4),
  reserve(5),
  takeDown(6, 305, ACCOUNT),
  reserve(7),
  ({ names }) =>
    names.set(
      {
        account: ACCOUNT,
        name: 'main' as PinName,
        token: 'main-0123456789abcdefgh' as NameToken,
        role: aRoleId(1),
        now: START,
        limit: null,
      },
      event(101),
    ),
  ({ sessions }) => sessions.begin(aSession(1, { apiKey: anApiKeyId(1) }), []),
  ({ sessions }) => sessions.begin(aSession(2), []),
  ({ sessions }) => sessions.offer(aLink(1), []),
  ({ pairings }) => pairings.register(aRegistration(1)),
  ({ pairings }) => pairings.register(aRegistration(2, { endsAt: after(START, hours(1)) })),
  ({ pairings }) => pairings.register(aRegistration(3)),
  ({ pairings }) => pairings.agree(aRegistration(3).secretHash, aConsent(3), START, []),
  ({ pairings }) => pairings.agree(aRegistration(1).secretHash, aConsent(1, BY_SESSION), START, []),
  ({ views }) => views.add([{ role: aRoleId(1), day: dayOf(START), views: 1, refusedPasswords: 0 }]),
  ({ roles }) => roles.saveComparison(aComparison(), undefined),
];

/** A call of every method that writes, to run concurrently with calls of other nodes. Some have several calls. */
export const CALLS: Readonly<Record<string, Call>> = {
  'reserve a key': reserve(8),
  'reserve it for another': ({ roles }) =>
    roles.reserve(aReservation(8, { token: aToken(80), credential: BY_KEY })),
  'take over a reservation': ({ roles }) =>
    roles.reserve(aReservation(4, { token: aToken(81), now: after(START, minutes(2)), until: LATER })),
  'renew a reservation': ({ roles }) => roles.renew(leaseOf(aReservation(4)), LATER),
  'release a reservation': ({ roles }) => roles.release(leaseOf(aReservation(4))),
  'purge reservations': ({ roles }) => roles.purge(SOON, 2),
  publish: commit(4, { limits: BOUNDED, credential: BY_KEY, ...named('next') }),
  'publish another': commit(5, { limits: BOUNDED, credential: BY_SESSION, ...named('main') }),
  'publish forbidden content': commit(7, {}, { sha256: aSha256(6) }),
  'stop a publication': stop(1),
  'rename a publication': ({ roles }) =>
    roles.save(aRole(1, { title: 'Other' as Title }), VERSION, event(201), 'account', BY_KEY),
  'claim for a cleanup': claim(61, LATER),
  'claim for another cleanup': claim(62, LATER),
  'settle a removal': settle({ kind: 'removed' }),
  'settle a failure': settle({ kind: 'failed', retryAt: SOON }),
  'store a comparison': ({ roles }) => roles.saveComparison(aComparison({ compared: 4 }), VERSION),
  'set a new name': setName('new', 2),
  'move a name': setName('main', 2),
  'delete a name': ({ names }) =>
    names.delete({ account: ACCOUNT, name: 'main' as PinName, credential: BY_KEY }, event(103)),
  'take down': takeDown(4, 304, OTHER),
  'take down again': takeDown(6, 306, ACCOUNT),
  'take down and stop': ({ takedowns }) =>
    takedowns.takeDown(aTakedown(1), { value: aRole(1, { deletedAt: START }), version: VERSION }, event(310)),
  'lift a takedown': ({ takedowns }) =>
    takedowns.lift(aTakedown(90, { sha256: aSha256(6) }), SOON, event(350)),
  'claim what was taken down': ({ takedowns }) =>
    takedowns.claimPurge({ role: aRoleId(3), token: aToken(63), until: after(LATER, minutes(1)) }),
  'block an account': ({ accounts }) =>
    accounts.save(anAccount(0, { name: ACCOUNT, blocked: BLOCK }), VERSION, event(500)),
  'make the service read-only': ({ mode }) =>
    mode.change(
      { kind: 'read_only', message: null },
      event(501, { type: 'service.mode_changed', account: null }),
    ),
  'change the message': ({ mode }) =>
    mode.change(
      { kind: 'normal', message: 'Soon' },
      event(502, { type: 'service.mode_changed', account: null }),
    ),
  'create a key': ({ apiKeys }) => apiKeys.create(anApiKey(3), event(600), 'account', 2),
  'create another key': ({ apiKeys }) => apiKeys.create(anApiKey(4), event(601), 'account', 2, BY_KEY),
  'create the first key': ({ apiKeys }) => apiKeys.createFirst(anApiKey(5), event(602)),
  'create another first key': ({ apiKeys }) =>
    apiKeys.createFirst(anApiKey(6, { account: OTHER }), event(603, { account: OTHER })),
  'ensure a revoked key': ({ apiKeys }) =>
    apiKeys.create(anApiKey(2, { isEnsured: true }), event(604), 'operator'),
  'revoke a key': ({ apiKeys }) => apiKeys.revoke(anApiKeyId(1), SOON, event(605, { account: OTHER })),
  'revoke a key of the account': ({ apiKeys }) => apiKeys.revoke(anApiKeyId(9), SOON, event(606)),
  'record the use of a key': ({ apiKeys }) => apiKeys.touch(anApiKeyId(1), SOON, START),
  'record a later use': ({ apiKeys }) => apiKeys.touch(anApiKeyId(1), LATER, START),
  'purge keys': ({ apiKeys }) => apiKeys.purge(SOON, 5),
  'begin a session': ({ sessions }) => sessions.begin(aLaterSession(3), event(700), SESSION_LIMITS),
  'begin another session': ({ sessions }) =>
    sessions.begin(aLaterSession(4), event(701), SESSION_LIMITS, BY_KEY),
  'replace many sessions': ({ sessions }) => sessions.begin(aLaterSession(6), event(708), SESSION_LIMITS),
  'offer a link': ({ sessions }) => sessions.offer(aLink(2), event(702)),
  'offer another link': ({ sessions }) => sessions.offer(aLink(3), event(706)),
  'redeem a link': ({ sessions }) => sessions.redeem(aRedemption(aLink(1), aLaterSession(5)), event(703)),
  'end a session': ({ sessions }) => sessions.end(aTokenHash(1), event(704)),
  'refuse a sign-in': ({ sessions }) =>
    sessions.refuse({ ...(event(705)[0] as HistoryEvent), account: ACCOUNT }, START),
  'refuse another sign-in': ({ sessions }) =>
    sessions.refuse({ ...(event(707)[0] as HistoryEvent), account: ACCOUNT }, START),
  'purge sessions': ({ sessions }) => sessions.purge(after(START, hours(13)), 10),
  'register a pairing': ({ pairings }) => pairings.register(aRegistration(5, { limit: 4 })),
  'register another pairing': ({ pairings }) => pairings.register(aRegistration(6, { limit: 4 })),
  'agree to a pairing': ({ pairings }) =>
    pairings.agree(aRegistration(2).secretHash, aConsent(1, BY_SESSION), START, event(800), BY_SESSION),
  'agree to the same pairing': ({ pairings }) =>
    pairings.agree(aRegistration(2).secretHash, aConsent(2, OF_OTHER), START, event(801, OF_OTHER)),
  'take a key': ({ pairings }) => pairings.take(aPairingRedemption(1, { key: anApiKey(7) }), event(802)),
  'take another key': ({ pairings }) =>
    pairings.take(aPairingRedemption(3, { key: anApiKey(8) }), event(803)),
  'purge pairings': ({ pairings }) => pairings.purge(after(START, minutes(10)), 5),
  'register an ended pairing again': ({ pairings }) =>
    pairings.register({ ...aRegistration(1), now: LATER, endsAt: after(LATER, hours(1)) }),
  ...ERASING_CALLS,
  'begin a try': ({ attempts }) => attempts.begin(attempt).then(({ kind }) => kind),
  'settle a try': ({ attempts }) => attempts.settle(ticket(1)),
  'forgive a try': ({ attempts }) => attempts.forgive(ticket(1)),
  'forgive another try': ({ attempts }) => attempts.forgive(ticket(2)),
  'purge tries': ({ attempts }) => attempts.purge(after(START, minutes(5)), 5),
  'begin a try later': ({ attempts }) => attempts.begin({ ...attempt, now: LATER }).then(({ kind }) => kind),
  'begin an import': ({ imports }) => imports.begin(aToken(90)),
  'begin an import again': ({ imports }) => imports.begin(aToken(91)),
  import: ({ imports }) => imports.saveRecords(aToken(90), [{ kind: 'takedown', value: aTakedown(1) }]),
  'end an import': ({ imports }) => imports.end(aToken(90)),
  'add views': ({ views }) => views.add([{ role: aRoleId(1), day: DAY, views: 2, refusedPasswords: 0 }]),
  'drop views': ({ views }) => views.drop((DAY + 1) as Day, 5),
  'publish, and read the feed': (stores) =>
    commit(5)(stores).then(() =>
      stores.history.feed({ account: undefined, pin: undefined, after: 0, limit: 99 }),
    ),
  'read the feed': ({ history }) => history.feed({ account: undefined, pin: undefined, after: 0, limit: 99 }),
  'drop events': ({ history }) => history.drop(SOON, 3),
  'trim events': ({ history }) =>
    history.trimEvents({ since: before(START, minutes(1)), until: SOON, keep: 1, limit: 3 }),
  'record a read once': ({ history }) => history.recordOnce(readEvent(901), before(START, minutes(1))),
  'record it once again': ({ history }) => history.recordOnce(readEvent(902), before(START, minutes(1))),
  'record expirations': ({ history }) =>
    history.recordExpired(event(900, { pin: aRoleId(1), type: 'pin.expired', at: END })),
};

const USUAL: readonly Call[] = [...BEFORE, ...KEYS];
const NOTHING: readonly Call[] = [];
const IMPORTING: readonly Call[] = [({ imports }) => imports.begin(aToken(90))];

function sessions(count: number): readonly Call[] {
  return Array.from({ length: count }, (_, n) => (stores) => stores.sessions.begin(aSession(n + 10), []));
}

/** The data before some calls, instead of that before the others. */
const BEFORE_SOME: Readonly<Record<string, readonly Call[]>> = {
  'create the first key': BEFORE,
  'create another first key': BEFORE,
  'replace many sessions': [...BEFORE, ...KEYS, ...sessions(93)],
  'advance an erasure': [...USUAL, beginErasure],
  'claim the archives of an erased account': [...USUAL, beginErasure, eraseAllButArchives],
  'begin an import': NOTHING,
  'begin an import again': IMPORTING,
  import: IMPORTING,
  'end an import': IMPORTING,
};

const prepared: Map<readonly Call[], Promise<NumberedTables>> = new Map();

/** The rows before calls. */
export function rowsBefore(names: readonly string[]): Promise<NumberedTables> {
  const before = names.map((name) => BEFORE_SOME[name]).findLast((calls) => calls !== undefined) ?? USUAL;
  const known = prepared.get(before) ?? prepare(before);
  prepared.set(before, known);
  return known;
}

async function prepare(calls: readonly Call[]): Promise<NumberedTables> {
  const tables = new MemoryTables();
  for (const call of calls) await playAlone(tables, call);
  return new NumberedTables(tables);
}
