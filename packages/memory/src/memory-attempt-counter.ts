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
import type { AttemptWindow, MemoryData } from './memory-data.ts';
import { dropFrom } from './order.ts';

export function memoryAttemptCounter(connection: Connection): AttemptCounter {
  /** The windows in which a ticket counts, or the ones opened since. */
  const windowsOf = (ticket: AttemptTicket): readonly (readonly [string, AttemptWindow])[] => {
    const { windows } = connection.change();
    const [, role, address] = JSON.parse(ticket) as [number, Attempt['role'], string];
    return [roleKey({ role }), addressKey({ role, address })].flatMap((key) => {
      const window = windows.get(key);
      return window === undefined ? [] : [[key, window] as const];
    });
  };
  return {
    begin: async (attempt) => begin(connection.change(), attempt),
    settle: async (ticket) => {
      for (const [, window] of windowsOf(ticket)) {
        if (window.counted.has(ticket)) window.counted.set(ticket, 'wrong');
      }
    },
    forgive: async (ticket) => {
      for (const [key, { counted }] of windowsOf(ticket)) {
        if (counted.get(ticket) !== 'wrong') counted.delete(ticket);
        if (counted.size === 0) connection.change().windows.delete(key);
      }
    },
    purge: async (by, limit) => dropFrom(connection.change().windows, limit, ({ until }) => until <= by),
    countEnded: async (by) =>
      [...connection.open().windows.values()].filter(({ until }) => until <= by).length,
  };
}

function begin(data: MemoryData, attempt: Attempt): AttemptOutcome {
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
