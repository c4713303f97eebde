import { type Fault, isFault } from '@pinfold/core';
import { AssertionError } from 'chai';

/**
 * What a promise rejects with; that it resolves is a failure.
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

/** The fault that a promise rejects with; any other reason is thrown. */
export async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const reason = await rejectionOf(promise);
  if (!isFault(reason)) throw reason;
  return reason;
}
