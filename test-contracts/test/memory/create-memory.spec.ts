import { createMemory } from '@pinfold/memory';
import { aPublication, aRoleId, publishTo, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

describe('createMemory', () => {
  it('returns a handle that is ready, and can be migrated any number of times', async () => {
    const memory = createMemory();
    await memory.migrate();
    await memory.migrate();
    expect(await memory.check(), 'a clock of its own').to.equal(undefined);
    expect(await memory.roles.load(aRoleId(1))).to.equal(undefined);
  });

  it('rejects a check with the reason of an aborted signal', async () => {
    const reason = new Error('enough');
    expect(await rejectionOf(createMemory().check(AbortSignal.abort(reason)))).to.equal(reason);
  });

  it('cannot be reached after it was closed, and can be closed any number of times', async () => {
    const memory = createMemory();
    await memory.close();
    await memory.close();
    for (const call of [memory.check(), memory.migrate()]) {
      expect(await rejectionOf(call)).to.have.property('code', 'store_unavailable');
    }
  });

  it('leaves the data to its peers when it is closed', async () => {
    const memory = createMemory();
    const peer = memory.peer();
    await publishTo(memory.roles, aPublication(1));
    await memory.close();
    expect(await peer.roles.load(aRoleId(1))).not.to.equal(undefined);
    expect(await peer.peer().roles.load(aRoleId(1))).not.to.equal(undefined);
  });
});
