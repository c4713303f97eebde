import { setImmediate } from 'node:timers/promises';
import {
  ACCOUNT,
  anEvent,
  aPublication,
  aRole,
  aToken,
  publishTo,
  rejectionOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { type AccountId, after, days, Fault } from '../../src/index.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

const END = after(START, days(8));
const CLAIM = { now: END, endedBefore: END, token: aToken(1), until: after(END, days(1)), limit: 1_000 };
const REMOVED = { kind: 'removed' } as const;

/** Opens stores over a database that counts settling programs, and fails the one with this number. */
function openStores(failing?: number) {
  const database = newDatabase();
  let settled = 0;
  const write: typeof database.write = (program, args) => {
    settled += program.name === 'roles.settle_cleanup' ? 1 : 0;
    if (settled === failing) throw new Fault('store_unavailable', 'gone');
    return database.write(program, args);
  };
  const stores = storesOver(Object.assign(database.peer(), { write }));
  const claim = async (count: number, accountOf = (_: number) => ACCOUNT) => {
    for (let n = 1; n <= count; n += 1)
      await publishTo(stores.roles, aPublication(n, { account: accountOf(n) }));
    return stores.roles.claimForCleanup(CLAIM);
  };
  return { ...stores, claim, settledSoFar: () => settled };
}

describe('claims of a cleanup that are settled concurrently', () => {
  it('are settled by the next program, in one batch, while another runs', async () => {
    const { roles, claim, settledSoFar } = openStores();
    const [first, ...others] = await claim(9);
    if (first === undefined) throw new Error('nothing was claimed');
    const begun = roles.settleCleanup(first, REMOVED, [anEvent()]);
    while (settledSoFar() === 0) await setImmediate();
    await Promise.all([begun, ...others.map((task) => roles.settleCleanup(task, REMOVED, [anEvent()]))]);
    expect(settledSoFar()).to.equal(2);
    expect(await roles.listArchives(undefined, 10)).to.deep.equal([]);
  });

  it('each have their own outcome and events', async () => {
    const { roles, history, claim } = openStores();
    const [one, other] = await claim(2);
    if (one === undefined || other === undefined) throw new Error('too little was claimed');
    const retryAt = after(END, days(2));
    await Promise.all([
      roles.settleCleanup(one, REMOVED, [anEvent({ type: 'pin.purged', pin: one.role })]),
      roles.settleCleanup(other, { kind: 'failed', retryAt }, []),
      roles.settleCleanup(one, REMOVED, [anEvent({ type: 'pin.purged', pin: one.role })]),
    ]);
    expect(await roles.listArchives(undefined, 10)).to.deep.equal([other.archive]);
    const [again] = await roles.claimForCleanup({ ...CLAIM, now: retryAt, until: after(retryAt, days(1)) });
    expect(again).to.deep.include({ role: other.role, failures: 1 });
    const feed = await history.feed({ account: ACCOUNT, pin: undefined, after: 0, limit: 10 });
    expect(feed.items.map(({ event }) => event.type).filter((type) => type === 'pin.purged')).to.have.length(
      1,
    );
  });

  it('may belong to more accounts than one program can lock', async () => {
    const { roles, claim, settledSoFar } = openStores();
    const tasks = await claim(130, (n) => `team-${n}` as AccountId);
    await Promise.all(
      tasks.map((task) => roles.settleCleanup(task, REMOVED, [anEvent({ account: task.account })])),
    );
    expect(settledSoFar()).to.equal(5);
    expect(await roles.listArchives(undefined, 10)).to.deep.equal([]);
  });

  it('fail together, and later ones are still settled', async () => {
    const { roles, claim } = openStores(1);
    const tasks = await claim(50);
    const settled = tasks.map((task) => roles.settleCleanup(task, REMOVED, [anEvent()]));
    const failed = await Promise.all(settled.slice(0, 30).map((one) => rejectionOf(one)));
    for (const fault of failed) expect(fault).to.have.property('code', 'store_unavailable');
    await Promise.all(settled.slice(30));
    expect(await roles.listArchives(undefined, 100)).to.have.length(30);
    expect((await roles.load(aRole(1).id))?.value.account).to.equal(ACCOUNT);
  });
});
