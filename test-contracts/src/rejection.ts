import { type Fault, type FaultCode, isFault } from '@pinfold/core';
import { AssertionError, expect } from 'chai';

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

/** Fails unless each call, by its name, rejects with a fault of the code that contains its cause. */
export async function expectFaults(
  code: FaultCode,
  calls: Readonly<Record<string, Promise<unknown>>>,
): Promise<void> {
  const all = Object.entries(calls).map(async ([name, call]) => {
    const fault = await rejectionOf(call, name);
    expect(isFault(fault) ? fault.code : fault, name).to.equal(code);
    expect((fault as Error).cause, `${name}: what caused it`).to.be.instanceOf(Error);
  });
  await Promise.all(all);
}

/** Fails unless each call rejects with the fault: alone, a second time, and at the same time as all others. */
export async function expectUnreachable(
  code: FaultCode,
  calls: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const all = Object.entries(calls);
  for (const [name, make] of [...all, ...all]) await expectFaults(code, { [name]: make() });
  const atOnce = all.flatMap(([name, make]) => [1, 2].map((n) => [`${name}, ${n} at once`, make()] as const));
  await expectFaults(code, Object.fromEntries(atOnce));
}
