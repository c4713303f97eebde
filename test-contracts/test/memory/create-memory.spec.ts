import { type Fault, isFault } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import { anApiKey, anEvent, aPublication, aRoleId, publishTo } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

/** What a call rejects with. */
async function rejectionOf(call: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([call]);
  if (outcome.status === 'fulfilled') throw new Error('a call did not reject');
  return outcome.reason;
}

async function codeOf(call: Promise<unknown>): Promise<Fault['code'] | undefined> {
  const reason = await rejectionOf(call);
  return isFault(reason) ? reason.code : undefined;
}

describe('createMemory', () => {
  it('answers a handle that is ready, and migrates as often as one likes', async () => {
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

  it('is out of reach once it was closed, in every store', async () => {
    const memory = createMemory();
    await memory.close();
    await memory.close();
    const calls: ((closed: Memory) => Promise<unknown>)[] = [
      ({ roles }) => roles.load(aRoleId(1)),
      ({ apiKeys }) => apiKeys.create(anApiKey(1), [anEvent()]),
      ({ attempts }) => attempts.purge(anApiKey(1).createdAt, 1),
      ({ sessions }) => sessions.purge(anApiKey(1).createdAt, 1),
      (closed) => closed.check(),
      (closed) => closed.migrate(),
    ];
    for (const call of calls) expect(await codeOf(call(memory))).to.equal('store_unavailable');
    expect(await codeOf(memory.archives.check())).to.equal('storage_unavailable');
    expect(await codeOf(memory.archives.list(undefined, 1))).to.equal('storage_unavailable');
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
