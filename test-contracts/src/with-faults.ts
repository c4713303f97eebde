import { aroundCalls } from './around-calls.ts';

/** The names of a port's methods that answer with a promise; those that answer at once have no faults. */
export type FaultyMethod<Port> = {
  [Name in keyof Port]-?: Port[Name] extends (...inputs: never[]) => Promise<unknown> ? Name : never;
}[keyof Port] &
  string;

/** Where a call breaks, and with what. */
export interface Injection {
  /**
   * `before`: the call never reaches the port. `after`: the port does its work and its answer is lost, which is what
   * leaves the outcome of a write unknown.
   */
  readonly when: 'before' | 'after';
  /** What the call rejects with, mostly a `Fault`. */
  readonly fault: unknown;
}

/** Decides which calls of a port break. */
export interface FaultPlan<Port> {
  /**
   * Asked before each call; `undefined` lets it pass.
   *
   * @param method the method that is called.
   * @param n which call of that method it is, from 1 on.
   */
  onCall(method: FaultyMethod<Port>, n: number): Injection | undefined;
}

/**
 * A port whose calls break as planned; all others reach `port` as they are. What the port itself rejects with comes
 * out unchanged, also where a fault was planned after it.
 *
 * @example
 * import { Fault } from '@pinfold/core';
 * import { createMemory } from '@pinfold/memory';
 * import { withFaults } from '@pinfold/test-contracts';
 *
 * const memory = createMemory();
 *
 * const roles = withFaults(memory.roles, {
 *   onCall: (method, n) =>
 *     method === 'commit' && n === 1
 *       ? { when: 'after', fault: new Fault('store_unavailable', 'the answer was lost') }
 *       : undefined,
 * });
 */
export function withFaults<Port extends object>(port: Port, plan: FaultPlan<Port>): Port {
  const calls = new Map<string, number>();
  return aroundCalls(port, (name, call) => {
    const n = (calls.get(name) ?? 0) + 1;
    calls.set(name, n);
    const injection = plan.onCall(name as FaultyMethod<Port>, n);
    if (injection?.when === 'before') return Promise.reject(injection.fault);
    const answer = call();
    return injection === undefined ? answer : losing(answer, injection.fault);
  });
}

async function losing(answer: unknown, fault: unknown): Promise<never> {
  await answer;
  throw fault;
}
