import { type Clock, defaultLimits } from '@pinfold/core';
import { aroundCalls } from '@pinfold/test-contracts/fixtures';
import type { WrapPort } from 'pinfold-proof/service/open-node.ts';

/**
 * Makes the service renew the lease of the first publication exactly once, without waiting: the first pause before a renewal
 * ends at once, and proving lasts until the renewal is done.
 */
export function oneRenewal(clock: Clock): { readonly clock: Clock; readonly wrap: WrapPort } {
  const renewed = Promise.withResolvers<void>();
  let paused = false;
  const proving = async (method: string, call: () => unknown): Promise<unknown> => {
    const proof = await call();
    if (method === 'prove') await renewed.promise;
    return proof;
  };
  const renewing = async (method: string, call: () => unknown): Promise<unknown> => {
    try {
      return await call();
    } finally {
      if (method === 'renew') renewed.resolve();
    }
  };
  return {
    clock: {
      ...clock,
      sleep: (length, signal) => {
        const isFirst = !paused && length === Math.floor(defaultLimits.lease / 3);
        paused ||= isFirst;
        return isFirst ? Promise.resolve() : clock.sleep(length, signal);
      },
    },
    wrap: (port, name) => {
      if (name === 'inspector') return aroundCalls(port, proving);
      return name === 'roles' ? aroundCalls(port, renewing) : port;
    },
  };
}
