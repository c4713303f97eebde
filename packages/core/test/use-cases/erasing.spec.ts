import { accountId, Fault, type IdempotencyKey, OPERATOR, type RoleId } from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openCleanupStage } from './cleanup-stage.ts';
import { codeOf, eventsOf, OWNER } from './stage.ts';

const CAUSE = { actor: { kind: 'operator', id: 'olga' }, asOperator: true } as const;

/** A stage whose owner has three publications, one of them stopped. */
async function openErasureStage() {
  const stage = await openCleanupStage();
  const administration = createAdministration(stage.ports);
  const ids = await stage.publishMany(3);
  await stage.useCases.stop({ by: OPERATOR, id: ids[0] as RoleId });
  return { ...stage, administration, ids };
}

describe('The erasure of an account', () => {
  it('removes every archive without delay, stops every publication, and is recorded', async () => {
    const { administration, countArchives, memory, ports, ids } = await openErasureStage();
    expect(await administration.eraseAccount(OWNER, CAUSE)).to.deep.equal({ kind: 'erasing' });
    expect(await administration.finishErasure(OWNER)).to.equal(true);
    expect(await countArchives()).to.equal(0);
    const roles = await Promise.all(ids.map((id) => memory.roles.load(id)));
    expect(roles.map((role) => role?.value.deletedAt !== null)).to.deep.equal([true, true, true]);
    expect(await administration.showAccount(OWNER)).to.equal(undefined);
    const [newest] = await eventsOf({ ports } as never);
    expect(newest).to.deep.include({ type: 'account.erased', actor: CAUSE.actor });
    expect(await administration.eraseAccount(OWNER, CAUSE)).to.include({ code: 'not_found' });
    expect(await administration.finishErasure(OWNER), 'again').to.equal(true);
  });

  it('is continued by a sweep of another process after any of its steps, in read-only mode, too', async () => {
    for (let steps = 0; ; steps += 1) {
      const { administration, countArchives, memory, ports, clock, useCases } = await openErasureStage();
      await administration.eraseAccount(OWNER, CAUSE);
      const [erasure] = await memory.erasures.list(undefined, 10);
      if (erasure === undefined) throw new Error('no erasure has begun');
      const ids = () => Array.from({ length: memory.erasures.eventsAtOnce }, () => ports.ids.event());
      let last = 'continued';
      for (let n = 0; n < steps && last === 'continued'; n += 1) {
        last = await memory.erasures.advance(erasure, clock.now(), ids());
      }
      await memory.mode.change({ kind: 'read_only', message: null }, []);
      const report = await useCases.cleanUp();
      expect(report.rested, 'the rest of the sweep').to.equal(true);
      expect(await administration.showAccount(OWNER), `after ${steps} steps`).to.equal(undefined);
      expect(await countArchives()).to.equal(0);
      if (last !== 'continued') return;
    }
  });

  it('waits while storage cannot be reached, and is finished by a later sweep', async () => {
    const { administration, countArchives, ports, clock, useCases } = await openErasureStage();
    const away = replacing(ports.archives, {
      delete: () => Promise.reject(new Fault('storage_unavailable', 'away')),
    });
    const storageless = createAdministration({ ...ports, archives: away });
    await storageless.eraseAccount(OWNER, CAUSE);
    expect(await storageless.finishErasure(OWNER)).to.equal(false);
    expect((await administration.showAccount(OWNER))?.account.blocked).to.include({ isErasing: true });
    clock.advance(3_600_000 as never);
    await useCases.cleanUp();
    expect(await countArchives()).to.equal(0);
    expect(await administration.showAccount(OWNER)).to.equal(undefined);
  });

  it('leaves nothing of a publication that runs from before the erasure until after it', async () => {
    const stage = await openErasureStage();
    const { administration, countArchives, useCases } = stage;
    stage.inspector.during = async () => {
      stage.inspector.during = () => Promise.resolve();
      await administration.eraseAccount(OWNER, CAUSE);
      expect(await administration.finishErasure(OWNER)).to.equal(true);
    };
    const request = await stage.request({ key: 'under way' as IdempotencyKey });
    expect(await codeOf(useCases.publish(request))).to.equal('store_unavailable');
    expect(await administration.showAccount(OWNER)).to.equal(undefined);
    expect(await countArchives()).to.equal(0);
    const repeated = await stage.request({ key: 'under way' as IdempotencyKey });
    expect((await useCases.publish(repeated)).kind, 'of a new account').to.equal('published');
  });

  it('is refused for the default account and for the remains of erased ones, and changes nothing', async () => {
    const { administration, memory } = await openErasureStage();
    expect(await administration.eraseAccount('default', CAUSE)).to.include({ state: 'never_erased' });
    await administration.eraseAccount(OWNER, CAUSE);
    const limits = { sites: 3 };
    expect(await administration.limitAccount(OWNER, limits, CAUSE)).to.include({ state: 'erasing' });
    expect(await administration.unblockAccount(OWNER, CAUSE)).to.include({ state: 'erasing' });
    const [erasure] = await memory.erasures.list(undefined, 1);
    await administration.finishErasure(OWNER);
    const remains = accountId(String(erasure?.replacement));
    expect(remains).to.match(/^erased:./);
    expect(await administration.unblockAccount(remains, CAUSE)).to.include({ state: 'erased' });
    expect(await administration.eraseAccount(remains, CAUSE)).to.include({ state: 'erased' });
  });
});
