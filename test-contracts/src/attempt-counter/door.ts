import {
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Duration,
  type Instant,
  instant,
  minutes,
} from '@pinfold/core';
import { UNSETTLED_AT_MOST } from '@pinfold/core/adapter';
import { inOneOrder } from '../sequences/alike.ts';
import { FOREVER, type Limits, MANY, type Who } from './values.ts';

export type End = 'settle' | 'forgive';

/** A try that was admitted, and what was done to it first. */
interface Tried {
  readonly ticket: AttemptTicket;
  readonly from: Who;
  first?: End;
}

/** What is known of one counter: the time, and tickets, which mean nothing to another one. */
export interface Known {
  now: Instant;
  /** When a try was last begun: what had ended by then may be gone. */
  begunAt: Instant;
  readonly handles: AttemptCounter[];
  readonly tickets: Tried[];
  readonly roles: Set<string>;
  /** Opens another handle, as a process that comes later does. */
  readonly another: () => Promise<AttemptCounter>;
  /** The instants at which a window ends, or a try that nobody settled is wrong. */
  readonly bounds: Instant[];
  /** When the windows of addresses end that have a try for certain. */
  readonly windows: Map<string, Instant>;
}

/** A counter as one of its processes uses it. */
export interface Door {
  readonly counter: AttemptCounter;
  readonly known: Known;
}

/** The `n`th last, counted round and round. */
export function last<Value>(values: readonly Value[], n: number): Value | undefined {
  return values.at(-1 - (n % Math.max(1, values.length)));
}

async function begin(
  door: Door,
  asked: Who,
  limited: Limits,
  length: Duration,
  spoils = false,
): Promise<AttemptOutcome> {
  const [answer] = await beginAll([door], [asked], limited, length, spoils);
  return answer as AttemptOutcome;
}

async function beginAll(
  doors: readonly Door[],
  all: readonly Who[],
  limited: Limits,
  length: Duration,
  spoils = false,
) {
  const { known } = doors[0] as Door;
  const { now } = known;
  known.begunAt = Math.max(known.begunAt, now) as Instant;
  const begun = all.map(async (asked, n) => {
    const attempt = { ...asked, ...limited, window: length, now };
    known.roles.add(asked.role);
    const outcome = await (doors[n] as Door).counter.begin(attempt);
    const told = { ...outcome };
    // What was given is the caller's, and so is what was answered.
    if (spoils) Object.assign(attempt, { role: 'another', address: 'another', now: 0, window: 0 });
    if (spoils && !Object.isFrozen(outcome)) Object.assign(outcome, { until: 0, ticket: 'another' });
    return told;
  });
  const outcomes = await Promise.all(begun);
  return outcomes.map((outcome, n) =>
    outcome.kind === 'admitted'
      ? admitted(known, all[n] as Who, outcome.ticket, after(now, length))
      : outcome,
  );
}

/** Notes a try that was admitted, and says it as any counter might. */
function admitted(known: Known, from: Who, ticket: AttemptTicket, until: Instant): AttemptOutcome {
  const isNew = known.tickets.every((other) => other.ticket !== ticket) && typeof ticket;
  const name = JSON.stringify(from);
  known.tickets.push({ ticket, from });
  known.bounds.push(until, after(known.now, UNSETTLED_AT_MOST));
  if ((known.windows.get(name) ?? 0) <= known.now) known.windows.set(name, until);
  return { kind: 'admitted', ticket: String(isNew) as AttemptTicket };
}

/** Which of several at once are admitted is open, but not how many: where not all are, none is kept. */
export async function beginAtOnce(
  { known }: Door,
  some: readonly Who[],
  more: number,
  limited: Limits,
): Promise<string[]> {
  const all = [...some, ...Array.from({ length: more + 1 }, () => some[0] as Who)];
  const before = known.tickets.length;
  const answers = await beginAll(
    [...all.keys()].map((n) => doorOf(known, n)),
    all,
    limited,
    minutes(5),
  );
  if (answers.some(({ kind }) => kind !== 'admitted') && some.length > 1) {
    const ours = known.tickets.length - before;
    await Promise.all(Array.from({ length: ours }, (_, n) => end(doorOf(known, n), n, ['forgive'])));
    known.tickets.splice(before);
  }
  return inOneOrder(answers);
}

export function doorOf(known: Known, n: number): Door {
  return { counter: last(known.handles, n) as AttemptCounter, known };
}

export async function end({ counter, known }: Door, n: number, how: readonly End[]): Promise<void> {
  const ended = last(known.tickets, n);
  if (ended === undefined) return;
  for (const way of how) {
    await counter[way](ended.ticket);
    ended.first ??= way;
    // Its window may have gone with it.
    if (way === 'forgive') known.windows.set(JSON.stringify(ended.from), FOREVER);
  }
}

export async function tryOnce(
  door: Door,
  how: readonly End[],
  ...asked: [Who, Limits, Duration, boolean]
): Promise<AttemptOutcome> {
  const answer = await begin(door, ...asked);
  if (answer.kind === 'admitted') await end(door, 0, how);
  return answer;
}

/** Asks under limits that grow until it is admitted, and takes that back: so much is counted. */
export async function measure({ counter, known }: Door, asked: Who, limit: keyof Limits): Promise<object[]> {
  const refusals: object[] = [];
  known.begunAt = Math.max(known.begunAt, known.now) as Instant;
  known.roles.add(asked.role);
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

export async function endAndMeasure(door: Door, n: number, how: readonly End[]): Promise<object[][]> {
  await end(door, n, how);
  const ended = last(door.known.tickets, n);
  if (ended === undefined) return [];
  return [await measure(door, ended.from, 'perAddress'), await measure(door, ended.from, 'perRole')];
}

/**
 * How many records a window has is the counter's business, but each has one, and every handle counts the same. Where
 * every try was forgiven, of addresses there is none.
 */
export async function count({ known }: Door, by: Instant): Promise<{ ended: number; isAll: boolean }> {
  const { begunAt, handles, windows, tickets, roles } = known;
  const counts = await Promise.all(handles.map((handle) => handle.countEnded(by)));
  const least = [...windows.values()].filter((until) => until > begunAt && until <= by && until !== FOREVER);
  const [ended = 0] = counts;
  const most = tickets.every(({ first }) => first === 'forgive') ? roles.size : Number.POSITIVE_INFINITY;
  return { ended, isAll: ended >= least.length && ended <= most && counts.every((other) => other === ended) };
}

export async function purge(
  door: Door,
  n: number,
  passing: boolean,
  early: boolean,
  most: number,
): Promise<object> {
  const { counter, known } = door;
  const bound = n === 0 ? known.now : (last(known.bounds, n) ?? 0);
  if (passing) await passTo(door, bound);
  // Which windows are dropped first is open, and those that are open limit.
  const limit = early ? MANY : most;
  const by = (early ? bound : Math.min(bound, known.now)) as Instant;
  const lastEnd = Math.max(after(known.begunAt, minutes(5)), ...known.bounds);
  const earlier = await Promise.all([count(door, by), count(door, FOREVER)]);
  const dropped = await counter.purge(by, limit);
  for (const [from, until] of known.windows) if (until <= by) known.windows.delete(from);
  const later = await Promise.all([count(door, by), count(door, FOREVER)]);
  return {
    isAll: [...earlier, ...later].every(({ isAll }) => isAll),
    isExact: dropped === Math.min(limit, earlier[0]?.ended ?? 0),
    isGone: earlier.every(({ ended }, at) => ended - dropped === later[at]?.ended),
    isEmpty: limit < MANY || by < lastEnd || later[1]?.ended === 0,
  };
}

/** Two purges at once drop and answer as much as two of which one comes after the other. */
export async function purgeAtOnce(door: Door, limit: number, byOne: boolean): Promise<object> {
  const { known } = door;
  const earlier = await count(door, known.now);
  const purges = [0, byOne ? 0 : 1].map((n) => doorOf(known, n).counter.purge(known.now, limit));
  const dropped = await Promise.all(purges);
  for (const [from, until] of known.windows) if (until <= known.now) known.windows.delete(from);
  const later = await count(door, known.now);
  const isFull = dropped.every((one) => one === limit);
  return {
    isExact: dropped.reduce((one, other) => one + other) === earlier.ended - later.ended,
    isWhole: isFull || later.ended === 0,
  };
}

export async function passTo({ known }: Door, to: number): Promise<void> {
  known.now = Math.max(known.now, to) as Instant;
}

/** A clock that is not behind what ended, or was wrong, by the one before. */
export async function beBehind({ known }: Door, length: number): Promise<void> {
  const passed = known.bounds.filter((bound) => bound <= known.now);
  known.now = Math.max(0, known.now - length, ...passed) as Instant;
}

export function doors(another: Known['another']): (counter: AttemptCounter) => Door {
  const begunAt = instant(0);
  const nothing = { handles: [], tickets: [], bounds: [], windows: new Map(), roles: new Set<string>() };
  const known: Known = { now: begunAt, begunAt, another, ...nothing };
  return (counter) => {
    known.handles.push(counter);
    return { counter, known };
  };
}
