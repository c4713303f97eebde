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
