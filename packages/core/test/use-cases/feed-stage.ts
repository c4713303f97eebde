import {
  type AccountId,
  accountId,
  type Clock,
  type Duration,
  duration,
  type EventId,
  type HistoryEvent,
} from '@pinfold/core';
import { createHistory, type FeedOutcome, type FeedPage, type History } from '@pinfold/core/history';
import { createMemory, type Memory } from '@pinfold/memory';
import { RandomIds } from '@pinfold/platform-node';
import { anEvent, aSession, createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';

export const [ADA, BEN]: readonly [AccountId, AccountId] = [accountId('ada'), accountId('ben')];

/** The turns of the event loop after which a store in memory has answered, even if it yields to others. */
const TURNS = 10;

/** A history over stores in memory, with a clock that stands still. */
export interface FeedStage {
  readonly memory: Memory;
  readonly clock: ManualClock;
  readonly history: History;
  /** Stops the service. */
  readonly stop: AbortController;
  /** Opens a further history, as another node would. */
  open(of: Pick<Memory, 'history' | 'mode'> & { readonly clock?: Clock }): History;
  /** Lets time pass until the promise has settled, and returns its value. */
  settle<Value>(waited: Promise<Value>, step?: Duration): Promise<Value>;
  record(account: AccountId, more?: Partial<HistoryEvent>): Promise<EventId>;
}

export function openFeed(): FeedStage {
  const memory = createMemory();
  const clock = createManualClock();
  const stop = new AbortController();
  let count = 0;
  const open: FeedStage['open'] = (of) =>
    createHistory(
      { ...memory, persistence: memory, clock, ...of, machine: clock, ids: new RandomIds() },
      { stopping: stop.signal },
    );
  return {
    ...{ memory, clock, stop, open },
    history: open(memory),
    settle: async (waited, step = duration(250)) => {
      let isSettled = false;
      const settled = waited.finally(() => {
        isSettled = true;
      });
      settled.catch(() => undefined);
      while (!isSettled) {
        clock.advance(step);
        for (let n = 0; n < TURNS; n += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      return await settled;
    },
    record: async (account, more = {}) => {
      count += 1;
      const event = anEvent({ account, ...more });
      await memory.sessions.begin(aSession(count), [event]);
      return event.id;
    },
  };
}

export function pageOf(outcome: FeedOutcome): FeedPage {
  if (outcome.kind === 'refused') throw new Error(outcome.code);
  return outcome;
}

export function idsOf(outcome: FeedOutcome): readonly string[] {
  return pageOf(outcome).items.map(({ event }) => event.id);
}
