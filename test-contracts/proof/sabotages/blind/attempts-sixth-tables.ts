import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  type Instant,
  instant,
} from '@pinfold/core';
import { type AttemptTally, refuseAttempt } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

/** A try in one of its windows. */
export interface TryRow {
  readonly address: string;
  begun: Instant;
  isWrong: boolean;
  isStale?: boolean;
}

/** The window of a role, or of one of its addresses. */
export interface WindowRow {
  readonly key: string;
  readonly role: string;
  readonly address: string | undefined;
  opened: Instant;
  until: Instant;
  tries: Map<string, TryRow>;
  numbered: number;
  limit?: number;
}

export interface Tables {
  readonly windows: Map<string, WindowRow>;
  /** Each ticket's windows, the role's before the address's. */
  readonly tickets: Map<string, readonly WindowRow[]>;
  last: number;
  latest: number;
}

type AttemptRefusal = Exclude<AttemptOutcome, { kind: 'admitted' }>;
type Soon<T> = T | Promise<T>;
type Tallies = readonly [role: AttemptTally | undefined, address: AttemptTally | undefined];

/** What a counter does one after another; each may be changed alone. */
export interface Steps {
  keys(attempt: Attempt): readonly [role: string, address: string];
  open(key: string, attempt: Attempt): WindowRow | undefined;
  fresh(key: string, attempt: Attempt): WindowRow;
  tries(window: WindowRow, attempt: Attempt): readonly (readonly [string, TryRow])[];
  isWrong(row: TryRow, now: Instant, window: WindowRow): boolean;
  tally(window: WindowRow, attempt: Attempt, limit: number): AttemptTally;
  tallies(attempt: Attempt): Tallies;
  refuse(...tallies: Tallies): AttemptRefusal | undefined;
  judge(attempt: Attempt): AttemptRefusal | undefined;
  ticket(attempt: Attempt): string;
  admit(attempt: Attempt): AttemptOutcome;
  begin(attempt: Attempt): Soon<AttemptOutcome>;
  windowsOf(ticket: string): readonly WindowRow[];
  settleIn(window: WindowRow, ticket: string): void;
  settle(ticket: string): Soon<void>;
  forgiveIn(window: WindowRow, ticket: string): void;
  forgive(ticket: string): Soon<void>;
  ended(by: Instant): readonly WindowRow[];
  drop(window: WindowRow): void;
  purge(by: Instant, limit: number): Soon<number>;
  countEnded(by: Instant): number;
}

function soundSteps(tables: Tables, steps: Steps): Steps {
  const { windows, tickets } = tables;
  return {
    keys: ({ role, address }) => [JSON.stringify([role]), JSON.stringify([role, address])],
    open: (key, { now }) => {
      const window = windows.get(key);
      return window !== undefined && window.until > now ? window : undefined;
    },
    fresh: (key, attempt) => {
      const { now, role } = attempt;
      const address = key === steps.keys(attempt)[0] ? undefined : attempt.address;
      const until = after(now, attempt.window);
      const window = { key, role, address, opened: now, until, tries: new Map(), numbered: 0 };
      windows.set(key, window);
      return window;
    },
    tries: ({ tries }) => [...tries],
    isWrong: ({ isWrong, begun }, now) => isWrong || now - begun >= 60_000,
    tally: (window, attempt, limit) => {
      const tries = steps.tries(window, attempt);
      const underWay = tries.filter(([, row]) => !steps.isWrong(row, attempt.now, window)).length;
      return { endsAt: window.until, tries: tries.length, underWay, limit };
    },
    tallies: (attempt) => {
      const [role, address] = steps.keys(attempt).map((key) => steps.open(key, attempt));
      return [
        role && steps.tally(role, attempt, attempt.perRole),
        address && steps.tally(address, attempt, attempt.perAddress),
      ];
    },
    refuse: (...tallies) => refuseAttempt(tallies.filter((tally) => tally !== undefined)),
    judge: (attempt) => steps.refuse(...steps.tallies(attempt)),
    ticket: () => {
      tables.last += 1;
      return String(tables.last);
    },
    admit: (attempt) => {
      const { now: begun, address } = attempt;
      const ticket = steps.ticket(attempt);
      const counting = steps
        .keys(attempt)
        .map((key) => steps.open(key, attempt) ?? steps.fresh(key, attempt));
      for (const window of counting) {
        window.tries.set(ticket, { address, begun, isWrong: false });
        window.numbered += 1;
      }
      tickets.set(ticket, counting);
      return { kind: 'admitted', ticket: ticket as AttemptTicket };
    },
    begin: (attempt) => steps.judge(attempt) ?? steps.admit(attempt),
    windowsOf: (ticket) => (tickets.get(ticket) ?? []).filter((window) => windows.get(window.key) === window),
    settleIn: ({ tries }, ticket) => {
      const row = tries.get(ticket);
      if (row !== undefined) row.isWrong = true;
    },
    settle: (ticket) => {
      for (const window of steps.windowsOf(ticket)) steps.settleIn(window, ticket);
    },
    forgiveIn: (window, ticket) => {
      if (window.tries.get(ticket)?.isWrong === false) window.tries.delete(ticket);
      if (window.tries.size === 0) steps.drop(window);
    },
    forgive: (ticket) => {
      for (const window of steps.windowsOf(ticket)) steps.forgiveIn(window, ticket);
    },
    ended: (by) => [...windows.values()].filter(({ until }) => until <= by),
    drop: ({ key }) => void windows.delete(key),
    purge: (by, limit) => {
      const gone = steps.ended(by).slice(0, limit);
      for (const window of gone) steps.drop(window);
      return gone.length;
    },
    countEnded: (by) => steps.ended(by).length,
  };
}

/** A counter that keeps tables of its own; `change` is called once for each of its handles. */
export function tabled(
  change: (sound: Steps, tables: Tables, steps: Steps) => Partial<Steps>,
): Spoiling<AttemptCounter> {
  return () => {
    const tables: Tables = { windows: new Map(), tickets: new Map(), last: 0, latest: 0 };
    return (store) => {
      const steps = {} as Steps;
      const sound = soundSteps(tables, steps);
      Object.assign(steps, sound, change(sound, tables, steps));
      const reached = (): Promise<unknown> => store.countEnded(instant(0));
      return {
        begin: async (attempt) => {
          await reached();
          tables.latest = Math.max(tables.latest, attempt.now);
          return steps.begin(attempt);
        },
        settle: (ticket) => reached().then(() => steps.settle(ticket)),
        forgive: (ticket) => reached().then(() => steps.forgive(ticket)),
        purge: (by, limit) => reached().then(() => steps.purge(by, limit)),
        countEnded: (by) => reached().then(() => steps.countEnded(by)),
      };
    };
  };
}
