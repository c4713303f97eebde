import {
  type AccountId,
  accountId,
  after,
  type Day,
  duration,
  type Generation,
  type HistoryEvent,
  hours,
  type NameChange,
  type PasswordHash,
  type Role,
  type RoleCommit,
  type Takedown,
  type Title,
  type Warning,
} from '@pinfold/core';
import { FIRST_GENERATION, NO_ACCOUNT_LIMITS } from '@pinfold/core/adapter';
import type { MovedName, MovedRecord, PublicationRecord } from '@pinfold/core/moving';
import {
  ACCOUNT,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aReservation,
  aRoleId,
  aSession,
  aTakedown,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { ALL_LIMITS, aClaim, aFingerprint, BLOCK, changeRole } from '@pinfold/test-contracts/internal';
import { aChange, aName, shownBy } from '../name-store/values.ts';
import type { MovingStores } from '../stores.ts';

const LATER = after(START, hours(300));

/** By code point the last of them is the last; by UTF-16 units it would be the third. */
const NAMES: readonly AccountId[] = ['Zoo', 'ä la carte', '\u{FFFD}', '\u{1D4B6}'].map((name) =>
  accountId(name),
);

const WARNINGS: readonly Warning[] = [
  { rule: 'case_mismatch', path: 'index.html', target: 'A.PNG', file: 'a.png' },
  { rule: 'not_all_checked' },
] as readonly Warning[];

/** Fills a database with one record of every kind, and returns the records of its snapshot, in no order. */
export async function stock(stores: MovingStores): Promise<readonly MovedRecord[]> {
  const accounts = await makeAccounts(stores);
  const keys = await makeKeys(stores);
  const made = [
    await publishAndChange(stores, 1),
    await publishAndRemove(stores, 2),
    await publishAndExpire(stores, 3),
    await publishOne(stores, 4, { pinned: true, expiresAt: null, title: 'Ünï "\\ 𝒶' as Title }),
  ];
  const names = await makeNames(stores);
  const takedowns = await takeDown(stores);
  const views = [
    { role: aRoleId(4), day: 20_777 as Day, views: 3, refusedPasswords: 0 },
    { role: aRoleId(4), day: 20_778 as Day, views: 0, refusedPasswords: 1 },
    { role: aRoleId(1), day: 20_778 as Day, views: 1, refusedPasswords: 0 },
  ];
  await stores.views.add(views);
  const otherEvents = [
    anEvent({ account: null, request: 'a request', address: '2001:db8::1', asOperator: true }),
    anEvent({ actor: { kind: 'system', id: null } }),
    anEvent({ type: 'name.deleted', name: aName(3) }),
  ];
  await stores.sessions.begin(aSession(1), otherEvents);
  return [
    ...accounts,
    ...keys.records,
    ...made.map(({ record }) => ({ kind: 'publication', value: record }) as const),
    ...names.map((value) => ({ kind: 'name', value }) as const),
    ...takedowns.map((value) => ({ kind: 'takedown', value }) as const),
    ...views.map((value) => ({ kind: 'views', value }) as const),
    ...[...keys.events, ...made.flatMap(({ events }) => events), ...otherEvents].map(
      (value) => ({ kind: 'event', value }) as const,
    ),
  ];
}

/** Two names of one role, created in the opposite of their order; one has shown another role before. */
async function makeNames({ names }: MovingStores): Promise<readonly MovedName[]> {
  const [moved, first] = [2, 1].map((n) => aChange(n, { role: aRoleId(4) })) as [NameChange, NameChange];
  const before = aRoleId(3);
  for (const change of [{ ...moved, role: before }, moved, first]) await names.set(change, []);
  const [{ previous: _, ...unmoved }, other] = [shownBy(first).name, shownBy(moved).name];
  return [unmoved, { ...other, previous: before }];
}

/** One in force and one that was lifted, both without a publication in the database. */
async function takeDown({ takedowns }: MovingStores): Promise<readonly Takedown[]> {
  const inForce = aTakedown(1, { id: aRoleId(31) });
  const lifted = aTakedown(2, { id: aRoleId(30) });
  for (const takedown of [inForce, lifted]) await takedowns.takeDown(takedown, undefined, []);
  await takedowns.lift(lifted, LATER, []);
  return [inForce, { ...lifted, liftedAt: LATER }];
}

async function makeAccounts({ accounts }: MovingStores): Promise<readonly MovedRecord[]> {
  const unpublished = { lastPublishedAt: null };
  const named = NAMES.map((name, n) => ({
    name,
    limits: n === 0 ? ALL_LIMITS : NO_ACCOUNT_LIMITS,
    blocked: n === 1 ? BLOCK : null,
    generation: (n + 1) as Generation,
  }));
  for (const account of named) await accounts.save(account, undefined, []);
  const owner = { name: ACCOUNT, limits: NO_ACCOUNT_LIMITS, blocked: null, generation: FIRST_GENERATION };
  return [
    ...named.map((account) => ({ kind: 'account', value: { ...account, ...unpublished } }) as const),
    { kind: 'account', value: { ...owner, lastPublishedAt: START } },
  ];
}

async function makeKeys({ apiKeys }: MovingStores): Promise<{
  readonly records: readonly MovedRecord[];
  readonly events: readonly HistoryEvent[];
}> {
  const events = [anEvent({ type: 'key.created' }), anEvent({ type: 'key.revoked' })];
  // Created in the opposite order of their ids.
  const keys = [anApiKey(2, { createdAt: START, scopes: ['pins:read'], isEnsured: true }), anApiKey(1)];
  for (const key of keys) await apiKeys.create(key, []);
  await apiKeys.touch(anApiKeyId(1), LATER, START);
  await apiKeys.revoke(anApiKeyId(2), LATER, events);
  return {
    records: keys.map(({ lastUsedAt: _, ...key }, n) => ({
      kind: 'key',
      value: { ...key, revokedAt: n === 0 ? LATER : null },
    })),
    events,
  };
}

interface Made {
  readonly record: PublicationRecord;
  readonly events: readonly HistoryEvent[];
}

export async function publishOne(
  { roles }: Pick<MovingStores, 'roles'>,
  n: number,
  more: Partial<Role> = {},
  other: Partial<RoleCommit> = {},
): Promise<Made> {
  const publication: RoleCommit = { ...aPublication(n, more), warnings: WARNINGS, ...other };
  const { role, manifest, warnings } = publication;
  const request = aReservation(n, { account: role.account });
  const event = anEvent({ account: role.account, pin: role.id });
  await roles.reserve(request);
  const outcome = await roles.commit(publication, leaseOf(request), [event]);
  if (outcome.kind !== 'committed') throw new Error(`a fixture's commit is ${outcome.kind}`);
  const rest = { fingerprint: aFingerprint(n), warnings, lastEventAt: event.at, isExpiryRecorded: false };
  return { record: { ...role, ...rest, manifest }, events: [event] };
}

async function publishAndChange({ roles }: MovingStores, n: number): Promise<Made> {
  const { record, events } = await publishOne({ roles }, n);
  const change = {
    title: null,
    passwordHash: 'hashed' as PasswordHash,
    generation: 3 as Generation,
    deletedAt: LATER,
  };
  const event = anEvent({ pin: record.id, type: 'pin.stopped' });
  await changeRole(roles, record.id, change, event);
  const at = after(START, duration(1));
  return { record: { ...record, ...change, lastEventAt: at }, events: [...events, { ...event, at }] };
}

async function publishAndRemove({ roles }: MovingStores, n: number): Promise<Made> {
  const { record, events } = await publishOne({ roles }, n, {
    deletedAt: START,
    passwordHash: 'hashed' as PasswordHash,
  });
  const [task] = await roles.claimForCleanup(aClaim(100, START));
  if (task === undefined) throw new Error('an ended role was not claimed');
  const event = anEvent({ pin: record.id, type: 'pin.purged', at: LATER });
  await roles.settleCleanup(task, { kind: 'removed' }, [event]);
  const remaining = { ...record, warnings: [], passwordHash: '' as PasswordHash, manifest: null };
  return { record: { ...remaining, lastEventAt: LATER }, events: [...events, event] };
}

async function publishAndExpire({ roles, history }: MovingStores, n: number): Promise<Made> {
  const { record, events } = await publishOne({ roles }, n);
  const { id: pin, expiresAt } = record;
  if (expiresAt === null) throw new Error('a role without an end');
  const event = anEvent({ pin, type: 'pin.expired', at: expiresAt });
  await history.recordExpired([event]);
  return {
    record: { ...record, lastEventAt: expiresAt, isExpiryRecorded: true },
    events: [...events, event],
  };
}

export async function recordsOf({
  snapshot,
}: Pick<MovingStores, 'snapshot'>): Promise<readonly MovedRecord[]> {
  return await allOf(snapshot.records());
}

export async function allOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
