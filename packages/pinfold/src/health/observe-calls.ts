import type { Dependency } from './dependency.ts';

/**
 * A port whose calls of some names tell a part whether it answered.
 *
 * @param names calls that fail for nothing but that it did not: one that writes may fail though all can be read.
 */
export function telling<Port extends object>(
  port: Port,
  part: Dependency,
  names: readonly (keyof Port)[],
): Port {
  const methods = new Map<PropertyKey, unknown>();
  const methodOf = (target: Port, name: PropertyKey): unknown => {
    const member: unknown = Reflect.get(target, name);
    if (typeof member !== 'function') return member;
    const method = member.bind(target) as (...args: readonly unknown[]) => Promise<unknown>;
    return names.some((told) => told === name) ? tellingCall(method, part) : method;
  };
  return new Proxy(port, {
    get: (target, name) => {
      if (!methods.has(name)) methods.set(name, methodOf(target, name));
      return methods.get(name);
    },
  });
}

function tellingCall<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
  part: Dependency,
): (...args: Args) => Promise<Result> {
  const answered = (): void => part.answered();
  const failed = (error: unknown): void => part.failed(error);
  return (...args) => {
    const result = call(...args);
    // Beside it, not before it: whoever waits for the result waits no longer.
    result.then(answered, failed);
    return result;
  };
}
