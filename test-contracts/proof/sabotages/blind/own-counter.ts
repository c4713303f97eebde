import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  after,
  before,
  type Duration,
  type Instant,
  instant,
} from '@pinfold/core';
import { type AttemptTally, refuseAttempt, UNSETTLED_AT_MOST } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

/** What a counter keeps of a try. */
export interface Try {
  begun: Instant;
  wrong: boolean;
}

/** What a counter keeps of a window. */
export interface Window {
  until: Instant;
  readonly window: Duration;
  readonly limit: number;
  readonly tries: Map<AttemptTicket, Try>;
}

/** The keys of a try's two windows. */
export type Key = `role ${string}` | `address ${string}`;

/** All that the handles of a counter share. */
export interface Kept {
  readonly windows: Map<Key, Window>;
  readonly tickets: Map<AttemptTicket, readonly Key[]>;
}

/** The rules of a counter, each of which an author may get wrong. */
export interface Rules {
  readonly roleKey: (attempt: Attempt) => string;
  readonly addressKey: (attempt: Attempt) => string;
  readonly ticket: (attempt: Attempt, number: number) => string;
  readonly until: (attempt: Attempt) => Instant;
  readonly isOpen: (window: Window, now: Instant) => boolean;
  readonly isUnderWay: (tried: Try, now: Instant, window: Window, key: Key) => boolean;
  readonly limits: (attempt: Attempt) => { readonly perRole: number; readonly perAddress: number };
  /** Judges the tallies of the role and of the address. */
  readonly refuse: (
    tallies: readonly AttemptTally[],
    attempt: Attempt,
  ) => Exclude<AttemptOutcome, { kind: 'admitted' }> | undefined;
  /** Between what a try sees and what it writes. */
  readonly meanwhile: (() => Promise<void>) | undefined;
  readonly seen: (open: Window, attempt: Attempt) => void;
  readonly counts: (window: Window, attempt: Attempt) => void;
  readonly settle: (window: Window, ticket: AttemptTicket, key: Key) => void;
  readonly forgive: (window: Window, ticket: AttemptTicket, key: Key) => void;
  /** Whether a window goes, of which a try was forgiven. */
  readonly goes: (window: Window, key: Key) => boolean;
  readonly hasEnded: (window: Window, by: Instant, key: Key) => boolean;
}

export const sound: Rules = {
  roleKey: ({ role }) => role,
  addressKey: ({ role, address }) => JSON.stringify([role, address]),
  ticket: (_, number) => String(number),
  until: ({ now, window }) => after(now, window),
  isOpen: ({ until }, now) => until > now,
  isUnderWay: ({ begun, wrong }, now) => !wrong && begun > before(now, UNSETTLED_AT_MOST),
  limits: ({ perRole, perAddress }) => ({ perRole, perAddress }),
  refuse: (tallies) => refuseAttempt(tallies),
  meanwhile: undefined,
  seen: () => undefined,
  counts: () => undefined,
  settle: ({ tries }, ticket) => {
    const tried = tries.get(ticket);
    if (tried !== undefined) tried.wrong = true;
  },
  forgive: ({ tries }, ticket) => {
    if (tries.get(ticket)?.wrong === false) tries.delete(ticket);
  },
  goes: ({ tries }) => tries.size === 0,
  hasEnded: ({ until }, by) => until <= by,
};

/** A counter of its own, over what the handles share; `reach` rejects as the memory does when it is closed. */
export class OwnCounter implements AttemptCounter {
  readonly kept: Kept;
  readonly rules: Rules;
  readonly #reach: () => Promise<unknown>;

  constructor(kept: Kept, rules: Rules, store: AttemptCounter) {
    this.kept = kept;
    this.rules = rules;
    this.#reach = () => store.countEnded(instant(0));
  }

  async begin(attempt: Attempt): Promise<AttemptOutcome> {
    await this.#reach();
    const { rules, kept } = this;
    const { perRole, perAddress } = rules.limits(attempt);
    const keys = this.keysOf(attempt);
    const [role, address] = this.openFor(attempt);
    const bounds = [
      { key: keys[0], limit: perRole, open: role },
      { key: keys[1], limit: perAddress, open: address },
    ];
    for (const { open } of bounds) if (open !== undefined) rules.seen(open, attempt);
    const refusal = rules.refuse(
      bounds.flatMap(({ open, limit, key }) =>
        open === undefined ? [] : [this.#tally(open, limit, attempt.now, key)],
      ),
      attempt,
    );
    if (refusal !== undefined) return refusal;
    if (rules.meanwhile !== undefined) await rules.meanwhile();
    const ticket = rules.ticket(attempt, kept.tickets.size) as AttemptTicket;
    const opened = { window: attempt.window, until: rules.until(attempt) };
    for (const { key, limit, open } of bounds) {
      const window = open ?? { ...opened, limit, tries: new Map() };
      window.tries.set(ticket, { begun: attempt.now, wrong: false });
      kept.windows.set(key, window);
      rules.counts(window, attempt);
    }
    kept.tickets.set(
      ticket,
      bounds.map(({ key }) => key),
    );
    return { kind: 'admitted', ticket };
  }

  async settle(ticket: AttemptTicket): Promise<void> {
    await this.#reach();
    for (const [key, window] of this.windowsOf(ticket)) this.rules.settle(window, ticket, key);
  }

  async forgive(ticket: AttemptTicket): Promise<void> {
    await this.#reach();
    for (const [key, window] of this.windowsOf(ticket)) {
      this.rules.forgive(window, ticket, key);
      if (this.rules.goes(window, key)) this.kept.windows.delete(key);
    }
  }

  async purge(endedBy: Instant, limit: number): Promise<number> {
    await this.#reach();
    const ended = this.ended(endedBy).slice(0, limit);
    for (const key of ended) this.kept.windows.delete(key);
    return ended.length;
  }

  async countEnded(endedBy: Instant): Promise<number> {
    await this.#reach();
    return this.ended(endedBy).length;
  }

  /** The keys of a role's window and of an address's. */
  keysOf(attempt: Attempt): readonly [Key, Key] {
    return [`role ${this.rules.roleKey(attempt)}`, `address ${this.rules.addressKey(attempt)}`];
  }

  /** The open windows of a role and of an address. */
  openFor(attempt: Attempt): readonly [Window | undefined, Window | undefined] {
    const [role, address] = this.keysOf(attempt).map((key) => {
      const window = this.kept.windows.get(key);
      return window !== undefined && this.rules.isOpen(window, attempt.now) ? window : undefined;
    });
    return [role, address];
  }

  /** Names a ticket otherwise, wherever it is kept. */
  rename(ticket: AttemptTicket, name: string): AttemptTicket {
    const renamed = name as AttemptTicket;
    for (const [, { tries }] of this.windowsOf(ticket)) {
      const tried = tries.get(ticket);
      tries.delete(ticket);
      if (tried !== undefined) tries.set(renamed, tried);
    }
    this.kept.tickets.set(renamed, this.kept.tickets.get(ticket) ?? []);
    return renamed;
  }

  windowsOf(ticket: AttemptTicket): readonly (readonly [Key, Window])[] {
    return (this.kept.tickets.get(ticket) ?? []).flatMap((key) => {
      const window = this.kept.windows.get(key);
      return window === undefined ? [] : [[key, window] as const];
    });
  }

  ended(by: Instant): readonly Key[] {
    return [...this.kept.windows]
      .filter(([key, window]) => this.rules.hasEnded(window, by, key))
      .map(([key]) => key);
  }

  #tally(window: Window, limit: number, now: Instant, key: Key): AttemptTally {
    const { until, tries } = window;
    const underWay = [...tries.values()].filter((tried) =>
      this.rules.isUnderWay(tried, now, window, key),
    ).length;
    return { endsAt: until, tries: tries.size, underWay, limit };
  }
}

/** A counter of its own whose rules are wrong, and whose calls may be. */
export function counting(
  rules: Partial<Rules>,
  calls: (own: OwnCounter) => Partial<AttemptCounter> = () => ({}),
): Spoiling<AttemptCounter> {
  return () => {
    const kept: Kept = { windows: new Map(), tickets: new Map() };
    return (store) => {
      const own = new OwnCounter(kept, { ...sound, ...rules }, store);
      return {
        begin: (attempt) => own.begin(attempt),
        settle: (ticket) => own.settle(ticket),
        forgive: (ticket) => own.forgive(ticket),
        purge: (endedBy, limit) => own.purge(endedBy, limit),
        countEnded: (endedBy) => own.countEnded(endedBy),
        ...calls(own),
      };
    };
  };
}
