import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Instant,
} from '@pinfold/core';
import type { Connection } from './connection.ts';

export class MemoryAttemptCounter implements AttemptCounter {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async begin(attempt: Attempt): Promise<AttemptOutcome> {
    const data = this.#connection.open();
    const { now, window, perRole, perAddress } = attempt;
    const bounds = [
      { key: roleKey(attempt), most: perRole },
      { key: addressKey(attempt), most: perAddress },
    ].map(({ key, most }) => {
      const open = data.windows.get(key);
      const running = open !== undefined && open.until > now ? open : undefined;
      return {
        key,
        most,
        window: running ?? { until: after(now, window), counted: new Set<AttemptTicket>() },
      };
    });
    const full = bounds.filter((bound) => bound.window.counted.size >= bound.most);
    if (full.length > 0) {
      return { kind: 'limited', until: Math.max(...full.map((bound) => bound.window.until)) as Instant };
    }
    data.tickets += 1;
    const ticket = JSON.stringify([data.tickets, attempt.role, attempt.address]) as AttemptTicket;
    for (const bound of bounds) {
      bound.window.counted.add(ticket);
      data.windows.set(bound.key, bound.window);
    }
    return { kind: 'admitted', ticket };
  }

  async forgive(ticket: AttemptTicket): Promise<void> {
    const { windows } = this.#connection.open();
    const [, role, address] = JSON.parse(ticket) as [number, Attempt['role'], string];
    windows.get(roleKey({ role }))?.counted.delete(ticket);
    windows.get(addressKey({ role, address }))?.counted.delete(ticket);
  }

  async purge(endedBy: Instant, limit: number): Promise<number> {
    const ended = this.#ended(endedBy).slice(0, limit);
    for (const key of ended) this.#connection.open().windows.delete(key);
    return ended.length;
  }

  async countEnded(endedBy: Instant): Promise<number> {
    return this.#ended(endedBy).length;
  }

  /** The keys of windows that ended by an instant. */
  #ended(by: Instant): readonly string[] {
    const { windows } = this.#connection.open();
    return [...windows].filter(([, window]) => window.until <= by).map(([key]) => key);
  }
}

function roleKey({ role }: Pick<Attempt, 'role'>): string {
  return JSON.stringify([role]);
}

function addressKey({ role, address }: Pick<Attempt, 'role' | 'address'>): string {
  return JSON.stringify([role, address]);
}
