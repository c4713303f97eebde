import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  before,
  type Instant,
} from '@pinfold/core';
import { type AttemptTally, refuseAttempt, UNSETTLED_AT_MOST } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import type { AttemptWindow } from './memory-data.ts';

export class MemoryAttemptCounter implements AttemptCounter {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async begin(attempt: Attempt): Promise<AttemptOutcome> {
    const data = this.#connection.open();
    const { now, window, perRole, perAddress } = attempt;
    const bounds = [
      { key: roleKey(attempt), limit: perRole },
      { key: addressKey(attempt), limit: perAddress },
    ].map(({ key, limit }) => ({ key, limit, open: openWindow(data.windows.get(key), now) }));
    const refusal = refuseAttempt(
      bounds.flatMap(({ open, limit }) => (open === undefined ? [] : [tallyOf(open, limit, now)])),
    );
    if (refusal !== undefined) return refusal;
    data.tickets += 1;
    const ticket = JSON.stringify([data.tickets, attempt.role, attempt.address]) as AttemptTicket;
    for (const { key, open = { until: after(now, window), counted: new Map() } } of bounds) {
      open.counted.set(ticket, now);
      data.windows.set(key, open);
    }
    return { kind: 'admitted', ticket };
  }

  async settle(ticket: AttemptTicket): Promise<void> {
    for (const [, window] of this.#windowsOf(ticket)) {
      if (window.counted.has(ticket)) window.counted.set(ticket, 'wrong');
    }
  }

  async forgive(ticket: AttemptTicket): Promise<void> {
    for (const [key, { counted }] of this.#windowsOf(ticket)) {
      if (counted.get(ticket) !== 'wrong') counted.delete(ticket);
      if (counted.size === 0) this.#connection.open().windows.delete(key);
    }
  }

  async purge(endedBy: Instant, limit: number): Promise<number> {
    const ended = this.#ended(endedBy).slice(0, limit);
    for (const key of ended) this.#connection.open().windows.delete(key);
    return ended.length;
  }

  async countEnded(endedBy: Instant): Promise<number> {
    return this.#ended(endedBy).length;
  }

  /** The windows that a ticket was counted in, or that were opened since. */
  #windowsOf(ticket: AttemptTicket): readonly (readonly [string, AttemptWindow])[] {
    const { windows } = this.#connection.open();
    const [, role, address] = JSON.parse(ticket) as [number, Attempt['role'], string];
    return [roleKey({ role }), addressKey({ role, address })].flatMap((key) => {
      const window = windows.get(key);
      return window === undefined ? [] : [[key, window] as const];
    });
  }

  /** The keys of windows that ended by an instant. */
  #ended(by: Instant): readonly string[] {
    const { windows } = this.#connection.open();
    return [...windows].filter(([, window]) => window.until <= by).map(([key]) => key);
  }
}

function openWindow(window: AttemptWindow | undefined, now: Instant): AttemptWindow | undefined {
  return window !== undefined && window.until > now ? window : undefined;
}

function tallyOf({ until, counted }: AttemptWindow, limit: number, now: Instant): AttemptTally {
  const settledBy = before(now, UNSETTLED_AT_MOST);
  const underWay = [...counted.values()].filter((begun) => begun !== 'wrong' && begun > settledBy).length;
  return { endsAt: until, tries: counted.size, underWay, limit };
}

function roleKey({ role }: Pick<Attempt, 'role'>): string {
  return JSON.stringify([role]);
}

function addressKey({ role, address }: Pick<Attempt, 'role' | 'address'>): string {
  return JSON.stringify([role, address]);
}
