import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  instant,
} from '@pinfold/core';
import { type AttemptTally, refuseAttempt } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

export interface Window {
  readonly key: string;
  readonly role: string;
  readonly openedAt: number;
  readonly opener: Attempt;
  until: number;
  readonly counted: Map<string, number | 'wrong'>;
}

/** A counter in small steps, so that each can be another. */
export class Steps {
  readonly windows = new Map<string, Window>();
  tickets = 0;

  keys({ role, address }: Pick<Attempt, 'role' | 'address'>): readonly [string, string] {
    return [JSON.stringify([role]), JSON.stringify([role, address])];
  }

  /** An open window. */
  at(key: string, now: number): Window | undefined {
    const window = this.windows.get(key);
    return window !== undefined && window.until > now ? window : undefined;
  }

  isUnderWay(begun: number | 'wrong', now: number, _window: Window): boolean {
    return begun !== 'wrong' && begun > now - 60_000;
  }

  tally(window: Window, limit: number, { now }: Attempt): AttemptTally {
    const underWay = [...window.counted.values()].filter((begun) =>
      this.isUnderWay(begun, now, window),
    ).length;
    return { endsAt: instant(window.until), tries: window.counted.size, underWay, limit };
  }

  /** The role's tally, and the address's, as far as their windows are open. */
  tallies(attempt: Attempt): readonly AttemptTally[] {
    const [role, address] = this.keys(attempt).map((key) => this.at(key, attempt.now));
    return [
      ...(role === undefined ? [] : [this.tally(role, attempt.perRole, attempt)]),
      ...(address === undefined ? [] : [this.tally(address, attempt.perAddress, attempt)]),
    ];
  }

  judge(tallies: readonly AttemptTally[], _attempt: Attempt): ReturnType<typeof refuseAttempt> {
    return refuseAttempt(tallies);
  }

  ticket({ role, address }: Attempt): string {
    this.tickets += 1;
    return JSON.stringify([this.tickets, role, address]);
  }

  endOf({ now, window }: Attempt, _key: string): number {
    return now + window;
  }

  open(key: string, attempt: Attempt): Window {
    const { role, now } = attempt;
    const until = this.endOf(attempt, key);
    const window = { key, role, openedAt: now, opener: attempt, until, counted: new Map() };
    this.windows.set(key, window);
    return window;
  }

  count(key: string, ticket: string, attempt: Attempt): void {
    const window = this.at(key, attempt.now) ?? this.open(key, attempt);
    window.counted.set(ticket, attempt.now);
  }

  begin(attempt: Attempt): AttemptOutcome {
    const refusal = this.judge(this.tallies(attempt), attempt);
    if (refusal !== undefined) return refusal;
    const ticket = this.ticket(attempt);
    for (const key of this.keys(attempt)) this.count(key, ticket, attempt);
    return { kind: 'admitted', ticket: ticket as AttemptTicket };
  }

  /** The role's window, and the address's, of now. */
  windowsOf(ticket: string): readonly (Window | undefined)[] {
    const [, role, address] = JSON.parse(ticket);
    return this.keys({ role, address }).map((key) => this.windows.get(key));
  }

  settleIn(window: Window, ticket: string): void {
    if (window.counted.has(ticket)) window.counted.set(ticket, 'wrong');
  }

  forgiveIn(window: Window, ticket: string): void {
    if (window.counted.get(ticket) !== 'wrong') window.counted.delete(ticket);
    if (window.counted.size === 0) this.windows.delete(window.key);
  }

  settle(ticket: string): void {
    for (const window of this.windowsOf(ticket)) if (window !== undefined) this.settleIn(window, ticket);
  }

  forgive(ticket: string): void {
    for (const window of this.windowsOf(ticket)) if (window !== undefined) this.forgiveIn(window, ticket);
  }

  ended(by: number): readonly Window[] {
    return [...this.windows.values()].filter(({ until }) => until <= by);
  }

  purge(by: number, limit: number): number {
    const ended = this.ended(by).slice(0, limit);
    for (const { key } of ended) this.windows.delete(key);
    return ended.length;
  }

  countEnded(by: number): number {
    return this.ended(by).length;
  }
}

/** A counter of its own, with some of its steps otherwise; `sound` are the steps as they should be. */
export const stepping =
  (otherwise: (steps: Steps, sound: Steps) => Partial<Steps>): Spoiling<AttemptCounter> =>
  () => {
    const steps = new Steps();
    const sound = new Proxy(steps, {
      get: (_, name) => {
        const step = Reflect.get(Steps.prototype, name);
        return typeof step === 'function' ? step.bind(steps) : Reflect.get(steps, name);
      },
    });
    Object.assign(steps, otherwise(steps, sound));
    return (store) => {
      const reached = () => store.countEnded(instant(0));
      return {
        begin: async (attempt) => reached().then(() => steps.begin(attempt)),
        settle: async (ticket) => reached().then(() => steps.settle(ticket)),
        forgive: async (ticket) => reached().then(() => steps.forgive(ticket)),
        purge: async (by, limit) => reached().then(() => steps.purge(by, limit)),
        countEnded: async (by) => reached().then(() => steps.countEnded(by)),
      };
    };
  };
