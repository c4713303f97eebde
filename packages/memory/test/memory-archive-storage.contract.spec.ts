import { archiveStorageContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { createMemory } from '../src/index.ts';

describeContract(archiveStorageContract, {
  name: 'MemoryArchiveStorage',
  create: async () => {
    const memory = createMemory();
    const staged = await createStagedArchives();
    return {
      port: memory.archives,
      peer: async () => memory.peer().archives,
      stage: staged.stage,
      strew: async () => {},
      unreachable: async () => {
        const closed = memory.peer();
        await closed.close();
        return closed.archives;
      },
      dispose: async () => {
        await memory.close();
        await staged.dispose();
      },
    };
  },
});
