import {
  type Attempt,
  type AttemptCounter,
  type AttemptTicket,
  after,
  before,
  type Duration,
  type Instant,
  instant,
} from '@pinfold/core';
import {
  type AttemptRefusal,
  type AttemptTally,
  refuseAttempt,
  UNSETTLED_AT_MOST,
} from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

export interface Window {
  readonly key: string;
  readonly isRole: boolean;
  readonly role: string;
  readonly limit: number;
  readonly length: Duration;
  opened: Instant;
  until: Instant;
  readonly tries: Map<AttemptTicket, Instant | 'wrong'>;
}

export interface Tables {
  readonly windows: Map<string, Window>;
  /** The tries that were ever admitted. */
  readonly tries: Map<AttemptTicket, Attempt>;
}

/** What a counter of tables does, step by step. */
export interface Steps {
  readonly addressKey: (attempt: Attempt) => string;
  readonly name: (attempt: Attempt) => AttemptTicket;
  readonly isOpen: (window: Window, now: Instant) => boolean;
  readonly isUnderWay: (begun: Instant, now: Instant, window: Window) => boolean;
  readonly tally: (window: Window, limit: number, now: Instant) => AttemptTally;
  readonly refuse: (open: readonly AttemptTally[]) => AttemptRefusal | undefined;
  readonly refused: (attempt: Attempt, refusal: AttemptRefusal) => void;
  readonly renews: (old: Window, window: Window) => void;
  readonly counted: (window: Window, attempt: Attempt) => void;
  readonly settles: (ticket: AttemptTicket, windows: readonly Window[]) => void;
  readonly forgives: (ticket: AttemptTicket, windows: readonly Window[]) => void;
  readonly hasEnded: (window: Window, by: Instant) => boolean;
  readonly dropped: (window: Window) => void;
}

export function windowOf(attempt: Attempt, key: string, isRole: boolean): Window {
  const { role, now: opened, window: length } = attempt;
  const limit = isRole ? attempt.perRole : attempt.perAddress;
  return { key, isRole, role, limit, length, opened, until: after(opened, length), tries: new Map() };
}

function soundSteps({ windows, tries }: Tables, steps: () => Steps): Steps {
  return {
    addressKey: ({ role, address }) => JSON.stringify([role, address]),
    name: () => `${tries.size + 1}` as AttemptTicket,
    isOpen: ({ until }, now) => until > now,
    isUnderWay: (begun, now) => begun > before(now, UNSETTLED_AT_MOST),
    tally: (window, limit, now) => ({
      endsAt: window.until,
      tries: window.tries.size,
      underWay: [...window.tries.values()].filter(
        (begun) => begun !== 'wrong' && steps().isUnderWay(begun, now, window),
      ).length,
      limit,
    }),
    refuse: refuseAttempt,
    refused: () => undefined,
    renews: () => undefined,
    counted: () => undefined,
    settles: (ticket, counting) => {
      for (const window of counting) if (window.tries.has(ticket)) window.tries.set(ticket, 'wrong');
    },
    forgives: (ticket, counting) => {
      for (const { key, tries } of counting) {
        if (tries.get(ticket) !== 'wrong') tries.delete(ticket);
        if (tries.size === 0) windows.delete(key);
      }
    },
    hasEnded: ({ until }, by) => until <= by,
    dropped: () => undefined,
  };
}

/** A counter of tables, with some steps changed: for each handle. */
export function tabling(changed: (tables: Tables, sound: Steps) => Partial<Steps>): Spoiling<AttemptCounter> {
  return () => {
    const tables: Tables = { windows: new Map(), tries: new Map() };
    return (store) => {
      const sound = soundSteps(tables, () => steps);
      const steps: Steps = { ...sound, ...changed(tables, sound) };
      return counterOf(tables, steps, () => store.countEnded(instant(0)));
    };
  };
}

function counterOf({ windows, tries }: Tables, steps: Steps, reach: () => Promise<unknown>): AttemptCounter {
  const keysOf = (attempt: Attempt): readonly string[] => [
    JSON.stringify([attempt.role]),
    steps.addressKey(attempt),
  ];
  const windowsOf = (ticket: AttemptTicket): readonly Window[] => {
    const attempt = tries.get(ticket);
    return attempt === undefined ? [] : keysOf(attempt).flatMap((key) => windows.get(key) ?? []);
  };
  const ended = (by: Instant): readonly Window[] =>
    [...windows.values()].filter((window) => steps.hasEnded(window, by));
  return {
    begin: async (attempt) => {
      await reach();
      const { now } = attempt;
      const refusal = steps.refuse(
        keysOf(attempt).flatMap((key, index) => {
          const window = windows.get(key);
          if (window === undefined || !steps.isOpen(window, now)) return [];
          return [steps.tally(window, index === 0 ? attempt.perRole : attempt.perAddress, now)];
        }),
      );
      if (refusal !== undefined) {
        steps.refused(attempt, refusal);
        return refusal;
      }
      const ticket = steps.name(attempt);
      tries.set(ticket, { ...attempt });
      for (const [index, key] of keysOf(attempt).entries()) {
        const old = windows.get(key);
        const isOpen = old !== undefined && steps.isOpen(old, now);
        const window = isOpen ? old : windowOf(attempt, key, index === 0);
        windows.set(key, window);
        if (old !== undefined && !isOpen) steps.renews(old, window);
        window.tries.set(ticket, now);
        steps.counted(window, attempt);
      }
      return { kind: 'admitted', ticket };
    },
    settle: async (ticket) => {
      await reach();
      steps.settles(ticket, windowsOf(ticket));
    },
    forgive: async (ticket) => {
      await reach();
      steps.forgives(ticket, windowsOf(ticket));
    },
    purge: async (by, limit) => {
      await reach();
      const dropped = ended(by).slice(0, limit);
      for (const window of dropped) {
        windows.delete(window.key);
        steps.dropped(window);
      }
      return dropped.length;
    },
    countEnded: async (by) => {
      await reach();
      return ended(by).length;
    },
  };
}
