import type { ArchiveId, ArchiveStorage, StagedArchive } from '@pinfold/core';
import { type BucketSetting, createS3ClientFor, type OpenedStorage } from '../compose/stores.ts';
import type { Settings } from '../settings/settings.ts';
import { type Check, type Finding, ok, type Result, runChecks, skipped, warning } from './finding.ts';

type BucketVersions = Awaited<ReturnType<typeof import('@pinfold/storage-s3/internal').bucketVersions>>;

const PROBE = new TextEncoder().encode('"pinfold doctor" stored this file; it may be removed.\n');
const [FROM, LENGTH] = [5, 12];

const RIGHTS = {
  check: 's3:GetObject and s3:ListBucket',
  put: 's3:PutObject',
  head: 's3:GetObject and s3:ListBucket',
  read: 's3:GetObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
} as const;

/**
 * Stores, reads, lists and removes an archive of its own. If it cannot be removed now, a cleanup removes it a day later.
 */
export async function* checkStorage(
  { storage }: Settings,
  opened: OpenedStorage,
  id: ArchiveId,
): AsyncGenerator<Finding> {
  const prepared = await prepare(opened).catch((error: unknown) => ({ error }));
  const uploads: Check = {
    name: 'uploads',
    expected: 'the data folder can receive an upload',
    run: () => {
      if ('error' in prepared) throw prepared.error;
      return ok('a test upload was received');
    },
    advice: 'check that the disk of PINFOLD_DATA_DIR has room and is writable',
  };
  yield* runChecks([uploads]);
  if ('error' in prepared) return;
  const { archives, staged } = prepared;
  try {
    // Checked first, because an unavailable storage fails here much sooner than on a write.
    const run = async () => {
      await archives.check();
      return ok('the storage can store archives');
    };
    const check = storageCheck(storage, 'check', 'the storage can store archives', run);
    if (!(yield* runChecks([{ ...check, isRequired: true }]))) return;
    yield* runChecks(createProbes(storage, archives, id, staged));
  } finally {
    await staged.discard();
  }
  if (storage.kind !== 's3') return;
  const versions: Check = {
    name: 'storage.versions',
    expected: 'the bucket does not keep deleted objects for ever',
    run: () => checkVersions(storage),
    advice: 'check that the store answers',
  };
  yield* runChecks([versions]);
}

function storageCheck(
  { kind }: Settings['storage'],
  right: keyof typeof RIGHTS,
  expected: string,
  run: Check['run'],
): Check {
  const advice =
    kind === 's3'
      ? `check that the bucket of PINFOLD_STORAGE_URL exists, and that its credentials have ${RIGHTS[right]}`
      : 'check that archives/ in PINFOLD_DATA_DIR is writable, and on the same volume as staging/';
  return { name: `storage.${right}`, expected, run, advice };
}

function createProbes(
  storage: Settings['storage'],
  archives: ArchiveStorage,
  id: ArchiveId,
  staged: StagedArchive,
): readonly Check[] {
  const check = storageCheck.bind(undefined, storage);
  const put = check('put', 'a small archive can be stored', async () => {
    await archives.put(id, staged);
    return ok('the archive is stored completely');
  });
  return [
    { ...put, isRequired: true },
    check('head', 'the storage finds the archive', async () => {
      if ((await archives.read(id, 0, 0)) === undefined) throw new Error('the object is not there');
      return ok('the object is there');
    }),
    check('read', `${LENGTH} bytes from the middle of the archive can be read`, async () => {
      const bytes = await archives.read(id, FROM, LENGTH);
      const written = PROBE.subarray(FROM, FROM + LENGTH);
      if (bytes === undefined || Buffer.compare(bytes, written) !== 0)
        throw new Error('the storage returned other bytes');
      return ok('the storage returned the same bytes');
    }),
    check('list', 'archives can be listed', async () => {
      if ((await archives.list(undefined, 1)).length === 0)
        throw new Error('the list is empty, although an archive is stored');
      return ok('the list names an archive');
    }),
    check('delete', 'the archive can be removed', async () => {
      await archives.delete(id);
      return ok('the archive is removed');
    }),
  ];
}

async function prepare(
  opened: OpenedStorage,
): Promise<{ readonly archives: ArchiveStorage; readonly staged: StagedArchive }> {
  const archives = await opened.archives();
  const staging = await opened.staging();
  const outcome = await staging.receive(ReadableStream.from([PROBE]), PROBE.byteLength);
  if (outcome.kind === 'too_large') throw new Error('more bytes arrived than were sent');
  return { archives, staged: outcome.archive };
}

const VERSIONS: Readonly<Record<BucketVersions, Result>> = {
  off: ok('the bucket keeps no versions: deleted archives cannot be recovered'),
  expiring: ok('the bucket keeps versions, and a lifecycle rule removes them'),
  permanent: warning(
    'the bucket keeps versions for ever',
    'add a lifecycle rule that removes noncurrent versions and expired delete markers: every ended site slows down listing',
  ),
  unknown: skipped('the store does not report it'),
};

async function checkVersions(storage: BucketSetting): Promise<Result> {
  const client = await createS3ClientFor(storage);
  try {
    const { bucketVersions } = await import('@pinfold/storage-s3/internal');
    return VERSIONS[await bucketVersions(client, storage.bucket)];
  } finally {
    client.destroy();
  }
}
