import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { ArchiveStorage } from '@pinfold/core';
import { SystemClock } from '@pinfold/platform-node';
import { createS3Client, S3ArchiveStorage } from '@pinfold/storage-s3';
import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
import { anArchiveId, createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeArchiveStorage } from '@pinfold/test-contracts/mocha';
import { createPauseClock } from './clocks.ts';
import { openTestStore, type TestStore } from './test-store.ts';

/** A port of this host on which no server listens. */
const DEAD = 'http://127.0.0.1:1';

async function createSubject(store: TestStore): Promise<ArchiveStorageSubject> {
  const [prefix, staged, clock] = [store.newPrefix(), await createStagedArchives(), new SystemClock()];
  const { bucket, client, options } = store;
  const dead = createS3Client({ ...options, endpoint: DEAD });
  const foreign = foreignKeys(prefix);
  const open = (): ArchiveStorage => new S3ArchiveStorage({ client, bucket, prefix, clock });
  return {
    port: open(),
    peer: async () => open(),
    stage: staged.stage,
    ...(store.largest === undefined ? {} : { largest: store.largest }),
    strew: async () => {
      for (const Key of foreign) {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'none of ours' }));
      }
    },
    unreachable: async () =>
      new S3ArchiveStorage({ client: dead, bucket, prefix, clock: createPauseClock() }),
    placeGone: async () =>
      new S3ArchiveStorage({ client, bucket: `${bucket}-gone`, prefix, clock: createPauseClock() }),
    left: async () => {
      const { KeyCount = 0 } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }),
      );
      return KeyCount;
    },
    dispose: async () => {
      const place = { Bucket: bucket, Prefix: prefix };
      const { Contents = [] } = await client.send(new ListObjectsV2Command(place));
      const Objects = [...Contents.map(({ Key }) => ({ Key })), ...foreign.map((Key) => ({ Key }))];
      await client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: Objects.slice(0, 1_000) } }),
      );
      await staged.dispose();
      dead.destroy();
    },
  };
}

/** Other programs' keys, some of which are similar to an archive's. */
function foreignKeys(prefix: string): readonly string[] {
  const id = anArchiveId(1);
  const names = ['0', 'readme', `${id}.tmp`, `x${id}`, `folder/${id}`, 'zzz'];
  return [...names.map((name) => `${prefix}/${name}`), `${prefix}2/${id}`, `${prefix}-${id}`];
}

describe('An S3 store', () => {
  let store: TestStore;
  before(async () => {
    store = await openTestStore();
  });
  after(() => store.close());

  describeArchiveStorage({
    name: 'S3ArchiveStorage',
    create: () => createSubject(store),
    // Thousands of requests, on a machine that may be busy.
    timeout: 300_000,
    runs: 4,
  });
});
