/** A method of a port, without the port. */
export type Call = (...inputs: readonly unknown[]) => unknown;

/**
 * A port each of whose methods is another one, made once of the method itself: to measure it, or to watch it.
 *
 * @example
 * import type { RoleStore } from '@pinfold/core';
 * import { withCalls } from '@pinfold/core/adapter';
 *
 * declare const roles: RoleStore;
 *
 * const told = withCalls(roles, (name, call) => (...inputs) => {
 *   console.log(name);
 *   return call(...inputs);
 * });
 */
export function withCalls<Port extends object>(port: Port, around: (name: string, call: Call) => Call): Port {
  const methods = new Map<PropertyKey, unknown>();
  const methodOf = (target: Port, name: PropertyKey): unknown => {
    const member: unknown = Reflect.get(target, name);
    return typeof member === 'function' ? around(String(name), member.bind(target)) : member;
  };
  return new Proxy(port, {
    get: (target, name) => {
      if (!methods.has(name)) methods.set(name, methodOf(target, name));
      return methods.get(name);
    },
  });
}
