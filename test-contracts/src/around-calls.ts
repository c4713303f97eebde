/** Wraps the calls of a port: it may make the call, answer itself, or delay it. */
export type Around = (name: string, call: () => unknown, inputs: readonly unknown[]) => unknown;

/**
 * Wraps a port, so that each call goes through `around`.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { aroundCalls } from '@pinfold/test-contracts/fixtures';
 *
 * const calls: string[] = [];
 * const roles = aroundCalls(createMemory().roles, (name, call) => {
 *   calls.push(name);
 *   return call();
 * });
 */
export function aroundCalls<Port extends object>(port: Port, around: Around): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || typeof name === 'symbol') return member;
      return (...inputs: unknown[]) => around(name, () => Reflect.apply(member, target, inputs), inputs);
    },
  });
}

/**
 * Replaces some members of a port; all others stay the port's own.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { replacing } from '@pinfold/test-contracts/fixtures';
 *
 * const roles = replacing(createMemory().roles, { load: async () => undefined });
 */
export function replacing<Port extends object>(port: Port, members: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const holder = name in members ? members : target;
      const member: unknown = Reflect.get(holder, name);
      return typeof member === 'function' ? member.bind(holder) : member;
    },
  });
}

/** The names of a port's methods that return a promise; only those can fail as planned. */
export type FaultyMethod<Port> = {
  [Name in keyof Port]-?: Port[Name] extends (...inputs: never[]) => Promise<unknown> ? Name : never;
}[keyof Port] &
  string;

/** The place where a call fails, and its fault. */
export interface Injection {
  /**
   * `before`: the call never reaches the port. `after`: the port completes the call and its answer is lost, which
   * leaves the outcome of a write unknown.
   */
  readonly when: 'before' | 'after';
  /** The reason with which the call rejects, usually a `Fault`. */
  readonly fault: unknown;
}

/** Decides which calls of a port fail. */
export interface FaultPlan<Port> {
  /**
   * Called before each call; `undefined` lets the call through.
   *
   * @param method the called method.
   * @param n the number of the call of that method, from 1.
   */
  onCall(method: FaultyMethod<Port>, n: number): Injection | undefined;
}

/**
 * A port whose calls fail as planned; all others reach `port` unchanged. Rejections of the port itself are passed on
 * unchanged, even where a fault was planned after the call.
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
