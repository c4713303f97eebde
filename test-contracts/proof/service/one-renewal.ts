import { type Clock, defaultLimits } from '@pinfold/core';
import type { WrapPort } from './open-node.ts';

/**
 * Sees to it that the lease of the first publication is renewed exactly once, without a test that waits: the first pause
 * before a renewal is over at once, and proving lasts until the renewal was made.
 */
export function oneRenewal(clock: Clock): { readonly clock: Clock; readonly wrap: WrapPort } {
  const renewed = Promise.withResolvers<void>();
  let paused = false;
  const proving = lasting(renewed.promise);
  const renewing = telling('renew', () => renewed.resolve());
  return {
    clock: {
      now: clock.now,
      sleep: (length, signal) => {
        const isFirst = !paused && length === Math.floor(defaultLimits.lease / 3);
        paused ||= isFirst;
        return isFirst ? Promise.resolve() : clock.sleep(length, signal);
      },
    },
    wrap: (port, name) => {
      if (name === 'inspector') return proving(port);
      return name === 'roles' ? renewing(port) : port;
    },
  };
}

type Method = (...inputs: unknown[]) => Promise<unknown>;

/** A port with one of its methods changed. */
function changing(
  method: string,
  change: (call: Method) => Method,
): <Port extends object>(port: Port) => Port {
  return (port) =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        const call = member.bind(target) as Method;
        return name === method ? change(call) : call;
      },
    });
}

function lasting(until: Promise<void>): <Port extends object>(port: Port) => Port {
  return changing('prove', (call) => async (...inputs) => {
    const proof = await call(...inputs);
    await until;
    return proof;
  });
}

/** Tells when a method has ended, well or not. */
function telling(method: string, tell: () => void): <Port extends object>(port: Port) => Port {
  return changing(
    method,
    (call) =>
      (...inputs) =>
        call(...inputs).finally(tell),
  );
}
