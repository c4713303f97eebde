import { createMemory, type Memory } from '@pinfold/memory';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeArchiveStorage } from '@pinfold/test-contracts/mocha';

/** A new database in memory, whose peers are further handles of its data. */
function openMemory() {
  const memory = createMemory();
  return {
    port: memory,
    peer: async () => memory.peer(),
    unreachable: async (): Promise<Memory> => {
      const closed = memory.peer();
      await closed.close();
      return closed;
    },
    dispose: () => memory.close(),
  };
}

describeArchiveStorage({
  name: 'MemoryArchiveStorage',
  create: async () => {
    const { port, peer, unreachable, dispose } = openMemory();
    const staged = await createStagedArchives();
    return {
      port: port.archives,
      peer: async () => (await peer()).archives,
      stage: staged.stage,
      strew: async () => {},
      unreachable: async () => (await unreachable()).archives,
      // The memory contains only archives, and disappears with everything in it.
      placeGone: async () => (await unreachable()).archives,
      left: async () => (await port.archives.list(undefined, 1_000)).length,
      dispose: async () => {
        await dispose();
        await staged.dispose();
      },
    };
  },
  runs: 8,
});
