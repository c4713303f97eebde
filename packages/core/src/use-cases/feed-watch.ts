import { raceSignal, sleepUnlessAborted } from '../adapter/abortable.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId, RoleId } from '../domain/identity.ts';
import { type Duration, duration } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';
import type { HistoryStore } from '../ports/history-store.ts';

/** The interval at which the feed of all accounts is read, for all requests that wait in this process. */
const PAUSE: Duration = duration(500);
const AT_ONCE = 100;
/** The maximum number of requests that wait in one process, of one account and in all. */
const MAX_OF_ACCOUNT = 4;
const MAX_WAITING = 1_024;

export const LATEST: number = Number.MAX_SAFE_INTEGER;

/** The events that a caller waits for: of one account or all, and of one publication or any. */
export interface Awaited {
  readonly account: AccountId | undefined;
  readonly pin: RoleId | undefined;
  /** The longest wait; absent: until `leave`. */
  readonly length?: Duration;
  /** Ends the wait as well. */
  readonly stopWaiting?: AbortSignal | undefined;
  /** The account whose request waits, undefined for the operator. Absent: the wait does not count as a request. */
  readonly request?: { readonly of: AccountId | undefined };
}

/** One wait. Call `leave` in the end. */
export interface Wait {
  /** Resolves to true when there may be new events, to false when the time is over. Rejects on an abort. */
  next(signal?: AbortSignal): Promise<boolean>;
  leave(): void;
}

interface Waiter {
  readonly awaited: Awaited;
  /** Whether there may be new events since the waiter last read. */
  isNew: boolean;
  isOver: boolean;
  wake: () => void;
}

/** Wakes callers that wait for events; one read of the feed serves all of them. */
export class FeedWatch {
  readonly #history: Pick<HistoryStore, 'feed'>;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #waiters: Set<Waiter> = new Set();
  #isRunning = false;

  /** @param stopping ends all waits when it aborts. */
  constructor(history: Pick<HistoryStore, 'feed'>, clock: Clock, stopping: AbortSignal) {
    this.#history = history;
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /** Begins to wait. Read the feed again before the first `next`. */
  enter(awaited: Awaited): Wait {
    const waiter: Waiter = { awaited, isNew: false, isOver: false, wake: () => {} };
    const ended = new AbortController();
    this.#waiters.add(waiter);
    void this.#end(waiter, ended.signal);
    if (!this.#isRunning) void this.#run();
    return {
      next: (signal) => this.#next(waiter, signal),
      leave: () => {
        this.#waiters.delete(waiter);
        ended.abort(null);
        // After an abort, nothing else removes the listener of `stopping`.
        waiter.wake();
      },
    };
  }

  /** Whether no further request of the account may wait; undefined: the operator's. */
  isCrowded(account: AccountId | undefined): boolean {
    const requests = [...this.#waiters].flatMap(({ awaited: { request } }) => request ?? []);
    return (
      requests.length >= MAX_WAITING || requests.filter(({ of }) => of === account).length >= MAX_OF_ACCOUNT
    );
  }

  async #next(waiter: Waiter, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    if (!waiter.isNew && !this.#isOver(waiter)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiter.wake = resolve;
      const wokenOrStopped = raceSignal(promise, waiter.awaited.stopWaiting);
      const woken = raceSignal(wokenOrStopped, this.#stopping).catch(() => {});
      await raceSignal(woken, signal);
    }
    const isNew = waiter.isNew && !this.#stopping.aborted;
    waiter.isNew = false;
    return isNew;
  }

  #isOver({ isOver, awaited: { stopWaiting } }: Waiter): boolean {
    return this.#stopping.aborted || stopWaiting?.aborted === true || isOver;
  }

  /** Ends a wait by a sleep, since the wall clock may be set meanwhile. */
  async #end(waiter: Waiter, ended: AbortSignal): Promise<void> {
    const { length } = waiter.awaited;
    if (length === undefined) return;
    waiter.isOver = await sleepUnlessAborted(this.#clock, length, ended);
    if (waiter.isOver) waiter.wake();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let seen: Seen | undefined;
    let mayContinue = !this.#stopping.aborted;
    while (this.#waiters.size > 0 && mayContinue) {
      seen = await this.#read(seen);
      if (seen?.hasMore) continue;
      mayContinue = await sleepUnlessAborted(this.#clock, PAUSE, this.#stopping);
    }
    this.#isRunning = false;
  }

  /** Wakes the waiters that new events concern, or all if it cannot tell which. Resolves to the place it has read to. */
  async #read(seen: Seen | undefined): Promise<Seen | undefined> {
    try {
      const query = { account: undefined, pin: undefined, after: seen?.number ?? LATEST, limit: AT_ONCE };
      const { feed, begin, last, items } = await this.#history.feed(query);
      const isSame = seen?.feed === feed && begin.number <= seen.number && last.number >= seen.number;
      if (isSame) this.#wake((awaited) => items.some(({ event }) => concerns(event, awaited)));
      else this.#wake(() => true);
      const number = isSame ? (items.at(-1)?.number ?? seen.number) : last.number;
      return { feed, number, hasMore: isSame && items.length === AT_ONCE };
    } catch {
      // The waiters read the feed themselves, and so get the fault.
      this.#wake(() => true);
      return undefined;
    }
  }

  #wake(isConcerned: (awaited: Awaited) => boolean): void {
    for (const waiter of this.#waiters) {
      if (!isConcerned(waiter.awaited)) continue;
      waiter.isNew = true;
      waiter.wake();
    }
  }
}

interface Seen {
  readonly feed: string;
  readonly number: number;
  readonly hasMore: boolean;
}

function concerns(event: HistoryEvent, { account, pin }: Awaited): boolean {
  return (account === undefined || event.account === account) && (pin === undefined || event.pin === pin);
}
