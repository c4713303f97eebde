import type {
  AccountId,
  ApiKeyId,
  EventActor,
  Instant,
  Session,
  SessionLimits,
  SessionScope,
  SessionStore,
  Sha256,
} from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import fc from 'fast-check';
import type { ModelOptions } from '../role-store-model/sequences.ts';
import {
  alone,
  checkSequences,
  methodsFor,
  questionsFor,
  type Reachable,
  type Sequences,
  stepsFor,
} from '../sequences/run.ts';
import {
  anyEvent,
  changedTexts,
  doer,
  LATEST,
  nearInstants,
  nearTexts,
  someEvents,
} from '../sequences/values.ts';
import { walk } from '../walk.ts';
import { begunBy, nearHashes, PLACES, perhapsAnother } from './hashes.ts';

interface Values {
  /** Those of links, and of the sessions they begin; no other session has them. */
  readonly links: readonly Sha256[];
  readonly hashes: readonly Sha256[];
  readonly accounts: readonly AccountId[];
  readonly keys: readonly ApiKeyId[];
  readonly names: readonly string[];
  readonly actors: readonly EventActor[];
  readonly instants: readonly Instant[];
}

const oneOf = fc.constantFrom;

const step = stepsFor<SessionStore, Values>();
const call = methodsFor<SessionStore, Values>();
const question = questionsFor<SessionStore, Values>();

const instant = ({ instants }: Values) => oneOf(...instants);
/** Half of what begins lasts: what has ended shows little. */
const end = (values: Values) =>
  fc.oneof(instant(values), oneOf(...([LATEST, Number.MAX_SAFE_INTEGER] as Instant[])));
const limit = oneOf(1, 2, 3, 5, 100);
/** Those of one call alone, of which databases and drivers may know only some. */
const anyLimit = fc.oneof(limit, oneOf(0, 1_000, 1_001, 65_536, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1));

/** The text that a list begins after: any text. */
const place = (values: Values): fc.Arbitrary<string> =>
  fc.oneof({ weight: 3, arbitrary: hash(values) }, { weight: 1, arbitrary: oneOf(...PLACES) });

/** None, one or several, as a host with or without a history gives them. */
const told = ({ instants, accounts }: Values) => someEvents(instants, accounts);

const known = ({ links, hashes }: Values) => [...links, ...links.map(begunBy), ...hashes];

/** A hash that may be known, or nearly one. */
const hash = (values: Values): fc.Arbitrary<Sha256> => oneOf(...known(values)).chain(perhapsAnother);

/** The account, the actor and the scope of a session. */
const visit = ({ accounts, actors }: Values) => ({
  account: oneOf(...accounts),
  actor: oneOf(...actors),
  scope: oneOf<SessionScope[]>('manage', 'admin'),
});

/** The other fields of a session. */
const stay = (values: Values) => ({
  apiKey: oneOf(null, ...values.keys),
  displayName: oneOf(null, ...values.names),
  startedAt: instant(values),
  endsAt: end(values),
});

/** More purges than a run has use for: a store that takes more takes them without end. */
const MANY = 50;

/** Purges until nothing is left: which go first is open. */
async function purged(store: SessionStore, endedBy: Instant, limit: number): Promise<unknown> {
  const counts: number[] = [];
  do counts.push(await store.purge(endedBy, limit));
  while (counts.at(-1) === limit && counts.length < MANY);
  return counts;
}

/** How many sessions may be under way, if that is bounded. */
const limits: fc.Arbitrary<SessionLimits | undefined> = fc.option(
  fc.record({ ofActor: oneOf(1, 2), ofAccount: oneOf(1, 2, 3) }),
  { nil: undefined },
);

const SEQUENCES: Sequences<SessionStore, Values> = {
  reference: async () => {
    const memory = createMemory();
    return { port: memory.sessions, history: memory.history, dispose: () => memory.close() };
  },
  values: fc
    .record({
      hashes: nearHashes,
      accounts: nearTexts as fc.Arbitrary<AccountId[]>,
      keys: changedTexts as fc.Arbitrary<ApiKeyId[]>,
      names: changedTexts,
      actors: fc.array(doer, { minLength: 1, maxLength: 3 }),
      instants: nearInstants,
    })
    .map(({ hashes, actors, ...rest }) => ({
      ...rest,
      links: hashes.slice(0, 3),
      hashes: hashes.slice(3),
      actors: [...actors, ...rest.keys.map((id) => ({ kind: 'key', id }) as const)],
    })),
  steps: [
    call(
      4,
      'offer',
      (values) => [
        fc.record({ tokenHash: oneOf(...values.links), ...visit(values), endsAt: end(values) }),
        told(values),
      ],
      ({ tokenHash }) => `link ${tokenHash}`,
    ),
    step(
      5,
      'redeem',
      // The session has the fields of its link, too, with other values: no type forbids that.
      (values) => [
        hash(values),
        instant(values),
        fc.record({ ...visit(values), ...stay(values) }),
        told(values),
        limits,
      ],
      (port, link, now, session, events, bounds) =>
        port.redeem(
          { link, now, session: { ...session, tokenHash: begunBy(link) }, ...(bounds && { limits: bounds }) },
          events,
        ),
    ),
    call(
      4,
      'begin',
      (values) => [
        fc.record({ tokenHash: oneOf(...values.hashes), ...visit(values), ...stay(values) }),
        told(values),
        limits,
      ],
      ({ tokenHash }) => `session ${tokenHash}`,
    ),
    call(2, 'end', (values) => [hash(values), told(values)]),
    question(3, 'find', (values) => [hash(values), instant(values)]),
    step(
      3,
      'refuse',
      (values) => [
        fc.record({ event: anyEvent(values.instants, []), account: oneOf(...values.accounts) }),
        instant(values),
      ],
      // `since` is never after the event: a store whose clock is behind would forget the event.
      (port, { event, account }, since) =>
        port.refuse({ ...event, account, type: 'session.refused' }, Math.min(since, event.at) as Instant),
      ({ event }) => event.id,
    ),
    alone(call(1, 'purge', (values) => [instant(values), oneOf(0, 2 ** 31, 2 ** 32, 2 ** 53 - 1)])),
    alone(step(1, 'purge all', (values) => [instant(values), oneOf(1, 2, 3, 1_000)], purged)),
    call(2, 'list', (values) => [
      fc.record({
        account: oneOf(undefined, '' as AccountId, ...values.accounts),
        now: instant(values),
        after: fc.option(place(values), { nil: undefined }),
        limit: anyLimit,
      }),
    ]),
  ],
  look: step(
    1,
    'find and list',
    (values) => [
      fc.array(hash(values), { maxLength: 4 }).map((more) => [...known(values), ...more]),
      fc.constant([undefined, ...values.accounts]),
      fc.tuple(instant(values), instant(values)),
      limit,
    ],
    async (port, hashes, accounts, [now, then], limit) => ({
      found: await Promise.all(
        hashes.map(async (wanted, n) => [wanted, await port.find(wanted, n % 2 === 0 ? now : then)]),
      ),
      listed: await Promise.all(
        accounts.map(async (account) => [
          account,
          await walk<Session>(limit, (last) => port.list({ account, now, after: last?.tokenHash, limit })),
        ]),
      ),
    }),
  ),
  holds: (memory) =>
    memory.list({
      account: undefined,
      now: -1 as Instant,
      after: undefined,
      limit: Number.POSITIVE_INFINITY,
    }),
  fault: 'store_unavailable',
};

/** Does with a {@link SessionStore} what `checkRoleStoreSequences` does with a store of roles. */
export function checkSessionStoreSequences(
  create: () => Promise<Reachable<SessionStore>>,
  options: ModelOptions = {},
): Promise<void> {
  return checkSequences(SEQUENCES, create, options);
}
