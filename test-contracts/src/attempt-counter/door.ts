import {
  type AttemptCounter,
  type AttemptTicket,
  after,
  type Duration,
  type Instant,
  instant,
  minutes,
} from '@pinfold/core';
import { MAX_UNSETTLED } from '@pinfold/core/adapter';
import { inOneOrder } from '../sequences/alike.ts';
import { carelessly } from '../sequences/careless.ts';
import { type Limits, MANY, type Who } from './values.ts';

export type End = 'settle' | 'forgive';

/** The `n`th last, counted round and round. */
function last<Value>(values: readonly Value[], n: number): Value | undefined {
  return values.at(-1 - (n % Math.max(1, values.length)));
}

/** The state that all handles of a counter share: the time and the tries. */
interface Known {
  now: Instant;
  readonly doors: Door[];
  readonly tries: { readonly ticket: AttemptTicket; readonly from: Who }[];
  /** The instants at which a window ends, or an unsettled try is wrong. */
  readonly bounds: Instant[];
}

/** One handle of a counter. Tickets, which mean nothing to another counter, are named by how long ago they were given. */
export class Door {
  readonly #counter: AttemptCounter;
  readonly #known: Known;

  constructor(counter: AttemptCounter, other?: Door) {
    this.#counter = carelessly(counter);
    this.#known = other === undefined ? { now: instant(0), doors: [], tries: [], bounds: [] } : other.#known;
    this.#known.doors.push(this);
  }

  async try(from: Who, limits: Limits, window: Duration, ends: readonly End[]): Promise<object> {
    const { now, tries, bounds } = this.#known;
    const outcome = await this.#counter.begin({ ...from, ...limits, window, now });
    if (outcome.kind !== 'admitted') return outcome;
    const { kind, ticket } = outcome;
    const isNew = tries.every((other) => other.ticket !== ticket);
    tries.push({ ticket, from });
    bounds.push(after(now, window), after(now, MAX_UNSETTLED));
    for (const end of ends) await this.#counter[end](ticket);
    return { kind, isNew };
  }

  /** The same try several times at once: which of them are admitted is open, how many is not. */
  async tryAtOnce(from: Who, limits: Limits, count: number): Promise<string[]> {
    const tries = Array.from({ length: count }, (_, n) => this.#door(n).try(from, limits, minutes(5), []));
    return inOneOrder(await Promise.all(tries));
  }

  async end(n: number, ends: readonly End[]): Promise<object[][]> {
    const ended = last(this.#known.tries, n);
    if (ended === undefined) return [];
    for (const end of ends) await this.#counter[end](ended.ticket);
    return [await this.measure(ended.from, 'perAddress'), await this.measure(ended.from, 'perRole')];
  }

  async endAtOnce(all: readonly number[], end: End): Promise<void> {
    const { tries } = this.#known;
    const ended = new Set(all.flatMap((n) => last(tries, n)?.ticket ?? []));
    await Promise.all([...ended].map((ticket, n) => this.#door(n).#counter[end](ticket)));
  }

  /** Tries under limits that grow until one is admitted, and takes that back: the refusals show what is counted. */
  async measure(from: Who, limit: keyof Limits): Promise<object[]> {
    const { now, tries } = this.#known;
    const refusals: object[] = [];
    while (refusals.length <= tries.length) {
      const limits = { perAddress: MANY, perRole: MANY, [limit]: refusals.length + 1 };
      const outcome = await this.#counter.begin({ ...from, ...limits, window: minutes(5), now });
      if (outcome.kind === 'admitted') {
        await this.#counter.forgive(outcome.ticket);
        break;
      }
      refusals.push(outcome);
    }
    return refusals;
  }

  /**
   * Purges what ended by now, or by a bound before, several times at once. Which windows go first, and how many records
   * they have, is open.
   */
  async purge(n: number, limit: number, times: number): Promise<object> {
    const { now, bounds } = this.#known;
    const by = Math.min(now, last(bounds, n) ?? now) as Instant;
    const count = await this.#counter.countEnded(by);
    const purges = Array.from({ length: times }, (_, n) => this.#door(n).#counter.purge(by, limit));
    const dropped = await Promise.all(purges);
    const left = await this.#door(times).#counter.countEnded(by);
    return {
      isExact: dropped.reduce((sum, one) => sum + one) === count - left,
      isBounded: dropped.every((one) => one <= limit),
      isWhole: left === 0 || dropped.every((one) => one === limit),
    };
  }

  async passToBound(n: number, beside: number): Promise<void> {
    await this.passTo((last(this.#known.bounds, n) ?? 0) + beside);
  }

  async passTo(at: number): Promise<void> {
    this.#known.now = Math.max(this.#known.now, at) as Instant;
  }

  /** Sets the clock back, but not behind what has ended, or become wrong, by now. */
  async beBehind(length: number): Promise<void> {
    const { now, bounds } = this.#known;
    this.#known.now = Math.max(0, now - length, ...bounds.filter((bound) => bound <= now)) as Instant;
  }

  #door(n: number): Door {
    return last(this.#known.doors, n) ?? this;
  }
}
