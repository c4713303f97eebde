import { type AttemptCounter, type AttemptTicket, after, minutes } from '@pinfold/core';
import { expect } from 'chai';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { admit, admitAll, aTry, BUSY, fail, failAll } from './tries.ts';

// Tries whose two windows do not end together: the windows of a role begin at minute 0 and with the first try after minute
// 5, that of an address at a minute between them. An ended window is replaced by the next, or dropped.

const minute = (n: number) => after(START, minutes(n));

type CheckWindows = (port: AttemptCounter, other: AttemptCounter, drops?: boolean) => Promise<void>;

/** A role's tries still count after the address's window has ended. */
export const checkWrongTries: CheckWindows = async (port, other, drops = false) => {
  const role = aRoleId(31);
  await fail(port, aTry({ role, address: 'a', now: minute(0) }));
  await fail(port, aTry({ role, address: 'b', now: minute(3) }));
  await fail(port, aTry({ role, address: 'b', now: minute(7) }));
  if (drops) await port.purge(minute(8), 100);
  const full = (perRole: number) => other.begin(aTry({ role, address: 'c', perRole, now: minute(9) }));
  expect((await full(1)).kind, 'the role, while the address has none').to.equal('limited');
  await fail(other, aTry({ role, address: 'b', now: minute(8) }));
  expect((await full(2)).kind, 'the role, while the address has another').to.equal('limited');
};

/** A try that the address's window refuses opens no window of the role. */
export const checkRefusedTry: CheckWindows = async (port, other) => {
  const role = aRoleId(32);
  await fail(port, aTry({ role, address: 'a', now: minute(0) }));
  await fail(port, aTry({ role, address: 'b', now: minute(3) }));
  const refused = await other.begin(aTry({ role, address: 'b', now: minute(6), perAddress: 1 }));
  expect(refused.kind, 'the address').to.equal('limited');
  await fail(port, aTry({ role, address: 'c', now: minute(7) }));
  const next = await other.begin(aTry({ role, address: 'd', now: minute(11.5), perRole: 1 }));
  expect(next.kind, 'the role, whose window opened with the counted try').to.equal('limited');
};

/** A try with one ended window is settled in the other: in the address's, and in the role's. */
export const checkSettledTry: CheckWindows = async (port, other, drops = false) => {
  const role = aRoleId(33);
  await fail(port, aTry({ role, address: 'a', now: minute(0) }));
  const address = { role, address: 'b', perAddress: 1 };
  const late = await admit(port, aTry({ ...address, now: minute(4.5) }));
  if (drops) await port.purge(minute(5), 100);
  const next = await admit(port, aTry({ role, address: 'c', now: minute(5.25) }));
  await other.settle(late);
  const wrong = await other.begin(aTry({ ...address, now: minute(5.25) }));
  expect(wrong.kind, 'the address').to.equal('limited');
  const none = await other.begin(aTry({ role, address: 'd', perRole: 1, now: minute(5.25) }));
  expect(none, 'the role’s next window').to.deep.equal(BUSY);
  await port.settle(next);
  const later = await admit(port, aTry({ ...address, perAddress: 2, now: minute(9.25) }));
  if (drops) await port.purge(minute(9.5), 100);
  await admit(port, aTry({ ...address, now: minute(9.75) }));
  await other.settle(later);
  const full = await other.begin(aTry({ role, address: 'd', perRole: 2, now: minute(9.75) }));
  expect(full.kind, 'the role').to.equal('limited');
  const alone = await other.begin(aTry({ ...address, now: minute(9.75) }));
  expect(alone, 'the address’s next window').to.deep.equal(BUSY);
};

/** A try with one ended window is forgiven in the other: in the address's, and in the role's. */
export const checkForgivenTry: CheckWindows = async (port, other, drops = false) => {
  const limits = { role: aRoleId(34), perAddress: 2, perRole: 3 };
  await fail(port, aTry({ ...limits, address: 'a', now: minute(0) }));
  const [late] = await admitAll(port, ['b'], { ...limits, now: minute(4) });
  if (drops) await port.purge(minute(5), 100);
  // The role's next window, during the address's first one.
  const [right] = await admitAll(port, ['c'], { ...limits, now: minute(6) });
  await port.purge(minute(6), 100);
  await other.forgive(late as AttemptTicket);
  await failAll(port, ['b', 'b'], { ...limits, now: minute(6) });
  const full = aTry({ ...limits, address: 'd', now: minute(6) });
  expect(await other.begin(full), 'the role is full').to.deep.equal(BUSY);
  await other.forgive(right as AttemptTicket);
  await admit(port, aTry({ ...limits, address: 'd', now: minute(6) }));
  const role = { role: aRoleId(35), perAddress: 3, perRole: 3 };
  await fail(port, aTry({ ...role, address: 'a', now: minute(0) }));
  await fail(port, aTry({ ...role, address: 'b', now: minute(3) }));
  // Counted in the address's first window, which ends at minute 8, and in the role's second, which ends at minute 12.
  const [mine] = await admitAll(port, ['b'], { ...role, now: minute(7) });
  if (drops) await port.purge(minute(8), 100);
  await fail(port, aTry({ ...role, address: 'b', now: minute(8) }));
  await other.forgive(mine as AttemptTicket);
  await failAll(port, ['c', 'd'], { ...role, now: minute(8) });
};
