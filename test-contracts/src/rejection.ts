import { type Fault, isFault } from '@pinfold/core';
import { AssertionError } from 'chai';

/**
 * Returns the reason with which a promise rejects; fails if it resolves.
 *
 * @example
 * import { Fault } from '@pinfold/core';
 * import { rejectionOf } from '@pinfold/test-contracts/fixtures';
 *
 * console.log(await rejectionOf(Promise.reject(new Fault('store_unavailable', 'the answer was lost'))));
 */
export async function rejectionOf(promise: Promise<unknown>, what = 'the call'): Promise<unknown> {
  const outcome = await promise.then(
    () => 'resolved' as const,
    (reason: unknown) => ({ reason }),
  );
  if (outcome === 'resolved') throw new AssertionError(`${what}: expected a rejection`);
  return outcome.reason;
}

/** Returns the fault with which a promise rejects; throws any other reason. */
export async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const reason = await rejectionOf(promise);
  if (!isFault(reason)) throw reason;
  return reason;
}
