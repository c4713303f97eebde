import { type Fault, isFault } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  anApiKey,
  anArchiveId,
  anEvent,
  aPublication,
  aRoleId,
  createStagedArchives,
  publishTo,
} from '@pinfold/test-contracts/fixtures';
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

describe('The archives of createMemory', () => {
  it('are not put when the staged file is gone or has another size', async () => {
    const staged = await createStagedArchives();
    const { archives } = createMemory();
    const archive = await staged.stage(new Uint8Array(10));
    const longer = { ...archive, size: 11 };
    expect(await codeOf(archives.put(anArchiveId(1), longer))).to.equal('storage_unavailable');
    await staged.dispose();
    const gone = await rejectionOf(archives.put(anArchiveId(1), archive));
    expect((gone as Error).cause).to.deep.include({ code: 'ENOENT' });
    expect(await archives.list(undefined, 10)).to.deep.equal([]);
  });

  it('are read inside their bounds only', async () => {
    const staged = await createStagedArchives();
    const { archives } = createMemory();
    await archives.put(anArchiveId(1), await staged.stage(new Uint8Array(10)));
    await staged.dispose();
    const reads = [
      [-1, 1],
      [0, 11],
      [10, 1],
      [0, -1],
      [0, MAX_READ + 1],
    ] as const;
    for (const [from, length] of reads) {
      expect(await rejectionOf(archives.read(anArchiveId(1), from, length))).to.be.instanceOf(TypeError);
    }
  });
});
