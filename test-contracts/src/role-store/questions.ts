import {
  type AccountId,
  after,
  before,
  hours,
  type Instant,
  type Lease,
  minutes,
  type Reservation,
  type RoleStore,
} from '@pinfold/core';
import { START } from '../fixtures/clock.ts';
import {
  aFingerprint,
  anArchiveId,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aRoleId,
  aToken,
  leaseOf,
  publishTo,
  UNBOUNDED,
} from '../fixtures/roles.ts';
import { asks, END, everything, walkArchives } from './asked.ts';

/** Something that is asked of a store, by what it is about. */
export type Question = (port: RoleStore) => Promise<unknown>;

export const IN_A_MINUTE: Instant = after(START, minutes(1));
const SOON = after(START, minutes(2));
const BEFORE = before(START, hours(1));

const RATED = 'rated' as AccountId;

const RATE = { ...UNBOUNDED, publications: { count: 1, window: hours(1) } };

/** Leases that are still good. */
export const HELD: readonly [Lease, Lease] = [leaseOf(aReservation(4)), leaseOf(aReservation(5))];
const WAITING: Reservation = aReservation(6, { until: END });

/** Two published roles, held keys, and an account whose rate is spent. */
export async function prepare(port: RoleStore): Promise<void> {
  for (const n of [1, 2]) await publishTo(port, aPublication(n));
  for (const request of [aReservation(4), aReservation(5), WAITING]) await port.reserve(request);
  await publishRated(port, 20, START);
}

/** Publishes for the account whose rate is taken from. */
export async function publishRated(port: RoleStore, n: number, now: Instant): Promise<unknown> {
  const request = aReservation(n, { account: RATED });
  await port.reserve(request);
  const publication = aPublication(n, { account: RATED });
  return await port.commit({ ...publication, now, limits: RATE }, leaseOf(request), [anEvent()]);
}

/** A reservation that began before all others. */
export const EARLY: Reservation = aReservation(9, { now: BEFORE, until: END });

function reserves(n: number, more: Partial<Reservation> = {}): Question {
  return (port) => port.reserve(aReservation(n, { token: aToken(900 + n), until: END, ...more }));
}

/** What changes nothing, whatever it is answered. */
export const READS: Readonly<Record<string, Question>> = {
  load: (port) => port.load(aRoleId(1)),
  'load of what may yet come': (port) => port.load(aRoleId(3)),
  list: (port) => port.list(asks()),
  'list of all': (port) => port.list(asks({ account: undefined, limit: 3 })),
  'list with a state': (port) => port.list(asks({ state: 'published' })),
  'list of what is deleted': (port) => port.list(asks({ state: 'deleted' })),
  'list with a search': (port) => everything(port, asks({ search: 'site' })),
  'list of what is found nowhere': (port) => everything(port, asks({ search: 'renamed' })),
  'list by end': (port) => port.list(asks({ order: 'ending' })),
  'list by size': (port) => port.list(asks({ order: 'largest' })),
  'list by a key': (port) => port.list(asks({ idempotencyKey: aReservation(1).key })),
  'list by a key that is free': (port) => port.list(asks({ idempotencyKey: aReservation(3).key })),
  'a page of one': (port) => port.list(asks({ limit: 1 })),
  'a page behind all': (port) => port.list(asks({ after: { rank: END, id: aRoleId(1) }, limit: 100 })),
  manifest: (port) => port.loadManifest(anArchiveId(1)),
  'a manifest that may yet come': (port) => port.loadManifest(anArchiveId(3)),
  named: (port) => port.whichAreNamed([1, 2, 3].map(anArchiveId)),
  'one that is named': (port) => port.whichAreNamed([anArchiveId(1)]),
  'one that may yet be named': (port) => port.whichAreNamed([anArchiveId(3)]),
  archives: (port) => walkArchives(port, 10),
  'the first archive': (port) => port.listArchives(undefined, 1),
  'archives behind one': (port) => walkArchives(port, 10, anArchiveId(1)),
  'archives behind the last': (port) => walkArchives(port, 10, anArchiveId(2)),
  count: (port) => port.countForCleanup({ now: END, endedBefore: END, begunBefore: END }),
  'count of none yet': (port) => port.countForCleanup({ now: SOON, endedBefore: SOON, begunBefore: START }),
  comparison: (port) => port.loadComparison(),
};

/** What may change something once others changed something else, each of a handle that makes no other calls. */
export const APART: readonly Readonly<Record<string, Question>>[] = [
  READS,
  {
    'a key that is held': reserves(4),
    'a key that is held, otherwise': reserves(5, { fingerprint: aFingerprint(4) }),
    'a complete key': reserves(1),
    'a complete key, otherwise': reserves(1, { fingerprint: aFingerprint(5) }),
    'past the sites': reserves(11, { limits: { ...UNBOUNDED, sites: 2 } }),
    'past the bytes': reserves(12, { limits: { ...UNBOUNDED, bytes: 6_500 } }),
    'past the rate': reserves(13, { account: RATED, limits: RATE }),
  },
  { 'a lease that holds': (port) => port.renew(HELD[0], IN_A_MINUTE) },
  {
    'a commit past the sites': (port) =>
      port.commit({ ...aPublication(6), limits: { ...UNBOUNDED, sites: 2 } }, leaseOf(WAITING), [anEvent()]),
  },
  {
    'a claim of none yet': (port) =>
      port.claimForCleanup({
        ...{ now: SOON, endedBefore: SOON, until: after(SOON, minutes(1)) },
        ...{ token: aToken(30), limit: 10 },
      }),
  },
  { 'a purge of none yet': (port) => port.purge(START, 10) },
  { 'a save of what is not there': (port) => port.save(aRole(9), 1 as never, [anEvent()]) },
];

/** All answers, one after the other. */
export async function answersTo(
  questions: Readonly<Record<string, Question>>,
  port: RoleStore,
): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const [about, ask] of Object.entries(questions)) answers[about] = await ask(port);
  return answers;
}
