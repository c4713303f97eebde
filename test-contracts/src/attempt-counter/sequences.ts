import {
  type Attempt,
  type AttemptCounter,
  type AttemptTicket,
  after,
  type Duration,
  days,
  type Instant,
  instant,
  minutes,
  type RoleId,
  seconds,
} from '@pinfold/core';
import { UNSETTLED_AT_MOST } from '@pinfold/core/adapter';
import { createMemory } from '@pinfold/memory';
import fc from 'fast-check';
import type { Subject } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import type { ModelOptions } from '../role-store-model/sequences.ts';
import { checkSequences, type Sequences, stepsFor } from '../sequences/run.ts';
import { nearTexts, someOf } from '../sequences/values.ts';

type End = 'settle' | 'forgive';
type Who = Pick<Attempt, 'role' | 'address'>;
type Limits = Pick<Attempt, 'perAddress' | 'perRole'>;

/** What is known of one counter: the time, and tickets, which mean nothing to another one. */
interface Known {
  now: Instant;
  /** When a try was last begun: what had ended by then may be gone. */
  begunAt: Instant;
  readonly handles: AttemptCounter[];
  readonly tickets: { readonly ticket: AttemptTicket; readonly from: Who }[];
  /** The instants at which a window ends, or a try that nobody settled is wrong. */
  readonly bounds: Instant[];
  /** When the windows of addresses end that have a try for certain. */
  readonly windows: Map<string, Instant>;
}

/** A counter as one of its processes uses it. */
interface Door {
  readonly counter: AttemptCounter;
  readonly known: Known;
}

interface Values {
  readonly roles: readonly RoleId[];
  readonly addresses: readonly string[];
}

const ROLE = aRoleId(1);
const ROLES = [ROLE, `${ROLE.slice(0, -1)}0`, `f${ROLE.slice(1)}`, ROLE.slice(0, -1), aRoleId(2)] as RoleId[];
/** Each list has addresses that are nearly one. */
const ADDRESSES = [
  ['192.0.2.1', '192.0.2.10', '192.0.2.01', '192.0.2.1 ', '1192.0.2.1', '192.0.2', 'from 192.0.2.1'],
  ['2001:db8::/64', '2001:DB8::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64', '2001:db8::/640', '::/64'],
  [100, 300].flatMap((length) => ['x', 'y', 'xx'].map((end) => `${'2001:db8:'.repeat(length / 10)}${end}`)),
  ['', ' ', '\t', '\n', '\0', '\u00a0', ':', '::', '%', '_', '\\'],
  ['\u{1f310}', '\u{1f311}', '\u{1f30f}', '\ufffd', '?', '', '\u{1f310}\ufe0f'],
  ['é', 'é'.normalize('NFD'), 'É', 'e', '１', '1', 'ﬁ', 'fi'],
  ['0', '00', '0.0', '-0', "'0", '"0"', "0'", 'null', 'undefined', '[]', '__proto__'],
];
const ERAS = [1_000, START, 2_147_483_560_000, 4_294_967_200_000, Date.UTC(2150, 0, 1)].map(instant);
const MANY = 2 ** 32;
const FOREVER = instant(8_640_000_000_000_000);

const oneOf = fc.constantFrom;
const step = stepsFor<Door, Values>();
const who = ({ roles, addresses }: Values): fc.Arbitrary<Who> =>
  fc.record({ role: oneOf(...roles), address: oneOf(...addresses) });
const limits: fc.Arbitrary<Limits> = fc.record({
  perAddress: oneOf(1, 2, 3, MANY),
  perRole: oneOf(1, 2, 4, 8, MANY),
});
const window = oneOf(
  seconds(30),
  UNSETTLED_AT_MOST,
  minutes(5),
  minutes(5),
  300_001 as Duration,
  days(1),
  days(60),
);
const ends = fc.array(oneOf<End[]>('settle', 'settle', 'forgive'), { maxLength: 2 });
const any = fc.nat({ max: 7 });

/** The `n`th last, counted round and round. */
function last<Value>(values: readonly Value[], n: number): Value | undefined {
  return values.at(-1 - (n % Math.max(1, values.length)));
}

async function begin(
  { counter, known }: Door,
  asked: Who,
  limited: Limits,
  length: Duration,
  spoils = false,
) {
  const attempt = { ...asked, ...limited, window: length, now: known.now };
  known.begunAt = Math.max(known.begunAt, known.now) as Instant;
  const outcome = await counter.begin(attempt);
  // What was given is the caller's.
  if (spoils) Object.assign(attempt, { role: 'another', address: 'another', now: 0, window: 0 });
  if (outcome.kind !== 'admitted') return outcome;
  const isNew = known.tickets.every(({ ticket }) => ticket !== outcome.ticket) && typeof outcome.ticket;
  const [from, until] = [JSON.stringify(asked), after(known.now, length)];
  known.tickets.push({ ticket: outcome.ticket, from: asked });
  known.bounds.push(until, after(known.now, UNSETTLED_AT_MOST));
  if ((known.windows.get(from) ?? 0) <= known.now) known.windows.set(from, until);
  return { ...outcome, ticket: isNew };
}

async function end({ counter, known }: Door, n: number, how: readonly End[]): Promise<void> {
  const ended = last(known.tickets, n);
  if (ended === undefined) return;
  for (const way of how) {
    await counter[way](ended.ticket);
    // Its window may have gone with it.
    if (way === 'forgive') known.windows.set(JSON.stringify(ended.from), FOREVER);
  }
}

async function tryOnce(door: Door, how: readonly End[], ...asked: [Who, Limits, Duration, boolean]) {
  const answer = await begin(door, ...asked);
  if (answer.kind === 'admitted') await end(door, 0, how);
  return answer;
}

/** Asks under limits that grow until it is admitted, and takes that back: so much is counted. */
async function measure({ counter, known }: Door, asked: Who, limit: keyof Limits) {
  const refusals: object[] = [];
  known.begunAt = Math.max(known.begunAt, known.now) as Instant;
  while (refusals.length <= known.tickets.length) {
    const limited = { perAddress: MANY, perRole: MANY, [limit]: refusals.length + 1 };
    const outcome = await counter.begin({ ...asked, ...limited, window: minutes(5), now: known.now });
    if (outcome.kind === 'admitted') {
      await counter.forgive(outcome.ticket);
      break;
    }
    refusals.push(outcome);
  }
  return refusals;
}

async function endAndMeasure(door: Door, n: number, how: readonly End[]) {
  await end(door, n, how);
  const ended = last(door.known.tickets, n);
  if (ended === undefined) return [];
  return [await measure(door, ended.from, 'perAddress'), await measure(door, ended.from, 'perRole')];
}

/** How many records a window has is the counter's business, but each has one, and every handle counts the same. */
async function count({ known: { begunAt, handles, windows } }: Door, by: Instant) {
  const counts = await Promise.all(handles.map((handle) => handle.countEnded(by)));
  const least = [...windows.values()].filter((until) => until > begunAt && until <= by && until !== FOREVER);
  const [ended = 0] = counts;
  return { ended, isAll: ended >= least.length && counts.every((other) => other === ended) };
}

async function purge(door: Door, n: number, passing: boolean, limit: number) {
  const { counter, known } = door;
  const bound = n === 0 ? known.now : (last(known.bounds, n) ?? 0);
  if (passing) await passTo(door, bound);
  const by = Math.min(bound, known.now) as Instant;
  const lastEnd = Math.max(after(known.begunAt, minutes(5)), ...known.bounds);
  const earlier = [await count(door, by), await count(door, FOREVER)];
  const dropped = await counter.purge(by, limit);
  for (const [from, until] of known.windows) if (until <= by) known.windows.delete(from);
  const later = [await count(door, by), await count(door, FOREVER)];
  return {
    isAll: [...earlier, ...later].every(({ isAll }) => isAll),
    isExact: dropped === Math.min(limit, earlier[0]?.ended ?? 0),
    isGone: earlier.every(({ ended }, at) => ended - dropped === later[at]?.ended),
    isEmpty: limit < MANY || by < lastEnd || later[1]?.ended === 0,
  };
}

async function passTo({ known }: Door, to: number) {
  known.now = Math.max(known.now, to) as Instant;
}

/** A clock that is not behind what ended, or was wrong, by the one before. */
async function beBehind({ known }: Door, length: number): Promise<void> {
  const passed = known.bounds.filter((bound) => bound <= known.now);
  known.now = Math.max(0, known.now - length, ...passed) as Instant;
}

const SEQUENCES: Sequences<Door, Values> = {
  reference: async () => {
    const memory = createMemory();
    return { port: doors()(memory.attempts), dispose: () => memory.close() };
  },
  values: fc.record({
    roles: someOf(ROLES, 2, 1),
    addresses: fc.oneof(
      { weight: 2, arbitrary: oneOf(...ADDRESSES).chain((near) => someOf(near, 5)) },
      { weight: 1, arbitrary: nearTexts },
    ),
  }),
  steps: [
    step(8, 'try', (values) => [ends, who(values), limits, window, fc.boolean()], tryOnce),
    step(
      1,
      'begin at once',
      (values) => [fc.integer({ min: 2, max: 6 }), who(values), limits],
      async ({ known }, times, asked, limited) => {
        const handles = Array.from({ length: times }, (_, n) => last(known.handles, n) as AttemptCounter);
        const begun = handles.map((counter) => begin({ counter, known }, asked, limited, minutes(5)));
        return (await Promise.all(begun)).map(({ kind }) => kind).sort();
      },
    ),
    step(4, 'end', () => [any, ends], endAndMeasure),
    step(
      1,
      'end at once',
      () => [fc.uniqueArray(any, { minLength: 2 }), ends],
      async ({ known }, all, how) => {
        const there = all.filter((n) => n < known.tickets.length);
        const door = (n: number) => ({ counter: last(known.handles, n) as AttemptCounter, known });
        await Promise.all(there.map((n) => end(door(n), n, how)));
      },
    ),
    step(
      3,
      'pass time to about a bound',
      () => [any, oneOf(-1, 0, 1)],
      (door, n, beside) => passTo(door, (last(door.known.bounds, n) ?? 0) + beside),
    ),
    step(1, 'be behind by', () => [oneOf(1, 1_000, 59_999, 299_000)], beBehind),
    step(1, 'pass time to', () => [oneOf(...ERAS)], passTo),
    step(2, 'purge', () => [any, fc.boolean(), oneOf(0, 1, 2, 3, MANY)], purge),
  ],
  look: step(1, 'measure', (values) => [who(values), oneOf('perAddress', 'perRole')], measure),
};

/** Makes doors of one counter, which know the same. */
function doors(): (counter: AttemptCounter) => Door {
  const begunAt = instant(0);
  const known: Known = {
    ...{ now: begunAt, begunAt, handles: [], tickets: [], bounds: [], windows: new Map() },
  };
  return (counter) => {
    known.handles.push(counter);
    return { counter, known };
  };
}

/**
 * Runs random sequences of everything a counter can do, over a port and a peer in turn, beside the counter in memory.
 * Rejects with the shortest sequence found in which the two differ.
 *
 * @param create makes a subject over empty data of its own, as for a contract; called for each run.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { checkAttemptCounterSequences } from '@pinfold/test-contracts';
 *
 * const create = async () => {
 *   const memory = createMemory();
 *   return { port: memory.attempts, peer: async () => memory.peer().attempts, dispose: () => memory.close() };
 * };
 * await checkAttemptCounterSequences(create, { runs: 2 });
 */
export function checkAttemptCounterSequences(
  create: () => Promise<Subject<AttemptCounter>>,
  options: ModelOptions = {},
): Promise<void> {
  const opened = async (): Promise<Subject<Door>> => {
    const [subject, open] = [await create(), doors()];
    const peer = async () => open(await subject.peer());
    return { port: open(subject.port), peer, dispose: () => subject.dispose() };
  };
  return checkSequences(SEQUENCES, opened, options);
}
