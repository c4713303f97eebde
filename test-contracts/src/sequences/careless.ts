import { spoil } from './manners.ts';

/** Wraps a port: after every other call, the inputs and the answer are changed, as a careless caller might do. */
export function carelessly<Port extends object>(port: Port): Port {
  let calls = 0;
  return new Proxy(port, {
    get: (target, name) => {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...inputs: unknown[]) => {
        calls += 1;
        if (calls % 2 === 0) return await Reflect.apply(method, target, inputs);
        const given = inputs.map((input) => (input instanceof AbortSignal ? input : structuredClone(input)));
        const answer: unknown = await Reflect.apply(method, target, given);
        const copy = structuredClone(answer);
        for (const held of [...given, answer]) if (!(held instanceof AbortSignal)) spoil(held);
        return copy;
      };
    },
  });
}
