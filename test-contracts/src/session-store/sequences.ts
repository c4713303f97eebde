import type {
  AccountId,
  ApiKeyId,
  Doer,
  Instant,
  Session,
  SessionQuery,
  SessionScope,
  SessionStore,
  Sha256,
  SignInLink,
} from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import fc from 'fast-check';
import { anEvent } from '../fixtures/roles.ts';
import type { ModelOptions } from '../role-store-model/sequences.ts';
import {
  alone,
  checkSequences,
  questionsFor,
  type Reachable,
  type Sequences,
  stepsFor,
} from '../sequences/run.ts';
import { changedText, changedTexts, nearInstants, nearTexts, someOf } from '../sequences/values.ts';

interface Values {
  /** Those of links, and of the sessions they begin; no other session has them. */
  readonly links: readonly Sha256[];
  readonly hashes: readonly Sha256[];
  readonly accounts: readonly AccountId[];
  readonly keys: readonly ApiKeyId[];
  readonly names: readonly string[];
  readonly actors: readonly Doer[];
  readonly instants: readonly Instant[];
}

const HASHES = ['0', '9', 'a', 'f', '0e1', '0e2', '1e3', '00', 'ab', '10', '9f'].flatMap((text) => [
  text.padEnd(64, '0'),
  text.padStart(64, '0'),
  text.padStart(16, 'a').padEnd(64, 'b'),
]) as Sha256[];

const step = stepsFor<SessionStore, Values>();
const question = questionsFor<SessionStore, Values>();
const oneOf = fc.constantFrom;

const instant = ({ instants }: Values) => oneOf(...instants);
/** Half of what begins lasts: what has ended shows little. */
const end = (values: Values) => fc.oneof(instant(values), oneOf(253_402_300_799_999 as Instant));
const limit = oneOf(0, 1, 2, 3, 100);

/** None, one or several, as a host with or without a history gives them. */
const told = oneOf(0, 1, 2);
const events = (count: number) => Array.from({ length: count }, () => anEvent());

/** The session of a link, whose hash no other has: those of links are the same in the middle. */
const begunBy = (link: Sha256) => `${link.slice(0, 40)}c${link.slice(41)}` as Sha256;

const known = ({ links, hashes }: Values) => [...links, ...links.map(begunBy), ...hashes];

/** A hash that may be known, or nearly one. */
const hash = (values: Values): fc.Arbitrary<Sha256> =>
  oneOf(...known(values)).chain((one) => {
    const begun = [0, 1, 16, 63].map((length) => one.slice(0, length));
    const near = [one.toUpperCase(), ...begun, `${one} `, `${one}0`, `${one}%`] as Sha256[];
    return fc.oneof({ weight: 3, arbitrary: oneOf(one) }, { weight: 2, arbitrary: oneOf(...near) });
  });

const actor: fc.Arbitrary<Doer> = fc.record({
  kind: oneOf<Doer['kind'][]>('key', 'person', 'operator', 'system'),
  id: fc.option(changedText),
});

/** Who comes, and for what. */
const visit = ({ accounts, actors }: Values) => ({
  account: oneOf(...accounts),
  actor: oneOf(...actors),
  scope: oneOf<SessionScope[]>('manage', 'admin'),
});

/** What a session has beside its hash, whoever comes. */
const stay = (values: Values) => ({
  apiKey: oneOf(null, ...values.keys),
  displayName: oneOf(null, ...values.names),
  startedAt: instant(values),
  endsAt: end(values),
});

/** More pages or purges than a run has use for: a store that gives more gives them without end. */
const MANY = 50;

/** All pages, each as it came. */
async function walked(store: SessionStore, query: SessionQuery): Promise<unknown> {
  const pages: (readonly Session[])[] = [];
  do {
    const after = pages.at(-1)?.at(-1)?.tokenHash ?? query.after;
    pages.push(await store.list({ ...query, after }));
  } while (pages.at(-1)?.length === query.limit && pages.length < MANY);
  return pages;
}

/** Purges until nothing is left: which go first is open. */
async function purged(store: SessionStore, endedBy: Instant, limit: number): Promise<unknown> {
  const counts: number[] = [];
  do counts.push(await store.purge(endedBy, limit));
  while (counts.at(-1) === limit && counts.length < MANY);
  return counts;
}

const SEQUENCES: Sequences<SessionStore, Values> = {
  reference: async () => {
    const memory = createMemory();
    return { port: memory.sessions, dispose: () => memory.close() };
  },
  values: fc
    .record({
      hashes: someOf(HASHES, 14, 6),
      accounts: nearTexts as fc.Arbitrary<AccountId[]>,
      keys: someOf(['AbC', 'abc', '1', '01', '1e1'] as ApiKeyId[], 2),
      names: changedTexts,
      actors: fc.array(actor, { minLength: 1, maxLength: 3 }),
      instants: nearInstants,
    })
    .map(({ hashes, actors, ...rest }) => ({
      ...rest,
      links: hashes.slice(0, 3),
      hashes: hashes.slice(3),
      actors: [...actors, ...rest.keys.map((id) => ({ kind: 'key', id }) as const)],
    })),
  steps: [
    step(
      4,
      'offer',
      (values) => [
        fc.record({ tokenHash: oneOf(...values.links), ...visit(values), endsAt: end(values) }),
        told,
      ],
      (port, link: SignInLink, count) => port.offer(link, events(count)),
      ({ tokenHash }) => `link ${tokenHash}`,
    ),
    step(
      5,
      'redeem',
      // What its link says comes with it too, as of somebody else: no type forbids that.
      (values) => [hash(values), instant(values), fc.record({ ...visit(values), ...stay(values) }), told],
      (port, link, now, session, count) =>
        port.redeem({ link, now, session: { ...session, tokenHash: begunBy(link) } }, events(count)),
    ),
    step(
      4,
      'begin',
      (values) => [
        fc.record({ tokenHash: oneOf(...values.hashes), ...visit(values), ...stay(values) }),
        told,
      ],
      (port, session: Session, count) => port.begin(session, events(count)),
      ({ tokenHash }) => `session ${tokenHash}`,
    ),
    step(
      2,
      'end',
      (values) => [hash(values), told],
      (port, ended, count) => port.end(ended, events(count)),
    ),
    question(
      3,
      'find',
      (values) => [hash(values), instant(values)],
      (port, wanted, now) => (signal) => port.find(wanted, now, signal),
    ),
    step(
      1,
      'refuse',
      (values) => [oneOf(...values.accounts), oneOf(...values.actors), instant(values), instant(values)],
      (port, account, actor, at, unlessSince) =>
        port.refuse({ ...anEvent(), account, actor, at }, unlessSince),
    ),
    alone(step(1, 'purge', (values) => [instant(values), oneOf(1, 2, 3, 1_000)], purged)),
    step(
      2,
      'list',
      (values) => [oneOf(undefined, ...values.accounts), instant(values), hash(values), limit],
      (port, account, now, after, limit) => port.list({ account, now, after, limit }),
    ),
  ],
  look: step(
    1,
    'find and list',
    (values) => [
      fc.array(hash(values), { maxLength: 4 }).map((more) => [...known(values), ...more]),
      fc.constant([undefined, ...values.accounts]),
      fc.tuple(instant(values), instant(values)),
      limit.filter((most) => most > 0),
    ],
    async (port, hashes, accounts, [now, then], limit) => ({
      found: await Promise.all(
        hashes.map(async (wanted, n) => [wanted, await port.find(wanted, n % 2 === 0 ? now : then)]),
      ),
      listed: await Promise.all(
        accounts.map(async (account) => [
          account,
          await walked(port, { account, now, after: undefined, limit }),
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

/**
 * Runs random sequences of everything a store of sessions can do, over a port and a peer in turn, beside the store in
 * memory. Rejects with the shortest sequence found in which the two differ.
 *
 * @param create makes a subject over empty data of its own, as for a contract; called for each run.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { checkSessionStoreSequences } from '@pinfold/test-contracts';
 *
 * const create = async () => {
 *   const memory = createMemory();
 *   return { port: memory.sessions, peer: async () => memory.peer().sessions, dispose: () => memory.close() };
 * };
 * await checkSessionStoreSequences(create, { runs: 2 });
 */
export function checkSessionStoreSequences(
  create: () => Promise<Reachable<SessionStore>>,
  options: ModelOptions = {},
): Promise<void> {
  return checkSequences(SEQUENCES, create, options);
}
