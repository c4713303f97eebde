import { createMemory } from '@pinfold/memory';
import { archiveStorageContract, checkArchiveStorageSequences } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeContract } from '@pinfold/test-contracts/mocha';

const create = async () => {
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
};

describeContract(archiveStorageContract, { name: 'MemoryArchiveStorage', create });

it('MemoryArchiveStorage answers as the storage in memory after any sequence of calls', () =>
  checkArchiveStorageSequences(create, { runs: 30 }));
