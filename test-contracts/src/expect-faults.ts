import { type FaultCode, isFault } from '@pinfold/core';
import { expect } from 'chai';
import { rejectionOf } from './rejection.ts';

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
