import type { ArchiveStorage } from '@pinfold/core';
import { SystemClock } from '@pinfold/platform-node';
import { createS3Client, S3ArchiveStorage } from '@pinfold/storage-s3';
import { type ArchiveStorageSubject, archiveStorageContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { createHastyClock } from './clocks.ts';
import { openTestStore, type TestStore } from './test-store.ts';

/** A port of this host that nobody listens at. */
const DEAD = 'http://127.0.0.1:1';

async function createSubject(store: TestStore): Promise<ArchiveStorageSubject> {
  const [prefix, staged, clock] = [store.newPrefix(), await createStagedArchives(), new SystemClock()];
  const { bucket, client, options } = store;
  const dead = createS3Client({ ...options, endpoint: DEAD });
  const open = (): ArchiveStorage => new S3ArchiveStorage({ client, bucket, prefix, clock });
  return {
    port: open(),
    peer: async () => open(),
    stage: staged.stage,
    unreachable: async () =>
      new S3ArchiveStorage({ client: dead, bucket, prefix, clock: createHastyClock() }),
    dispose: async () => {
      const port = open();
      for (const id of await port.list(undefined, 1_000)) await port.delete(id);
      await staged.dispose();
      dead.destroy();
    },
  };
}

describe('An S3 store', () => {
  let store: TestStore;
  before(async () => {
    store = await openTestStore();
  });
  after(() => store.close());

  describeContract(archiveStorageContract, { name: 'S3ArchiveStorage', create: () => createSubject(store) });
});
