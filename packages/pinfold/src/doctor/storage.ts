import type { ArchiveId, ArchiveStorage, Clock, Ids, StagedArchive, Staging } from '@pinfold/core';
import { s3ClientOf } from '../compose/storage.ts';
import type { Settings } from '../settings/settings.ts';
import { type Check, type Finding, ok, type Result, runChecks, skipped, warning } from './finding.ts';

/** The archive storage, and what is needed to store an archive. */
export interface Stores {
  readonly archives: ArchiveStorage;
  readonly staging: Staging;
  readonly ids: Ids;
  readonly clock: Clock;
}

const PROBE = new TextEncoder().encode('"pinfold doctor" stored this file; it may be removed.\n');
const [FROM, LENGTH] = [5, 12];

/** The S3 permissions that each check needs. */
const RIGHTS = {
  check: 's3:GetObject and s3:ListBucket',
  put: 's3:PutObject',
  head: 's3:GetObject and s3:ListBucket',
  read: 's3:GetObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
} as const;

interface StorageContext {
  readonly settings: Settings;
  readonly open: () => Promise<Stores>;
  /** Set by the first check. */
  stores?: Stores;
  staged?: StagedArchive;
  /** Set by the check that stores it. */
  id?: ArchiveId;
}

type Look = (context: StorageContext, stores: Stores) => Promise<Result | undefined>;

/** A check that needs one right to the bucket. */
function storageCheck(right: keyof typeof RIGHTS, expected: string, look: Look): Check<StorageContext> {
  return {
    name: `storage.${right}`,
    expected,
    look: (context) => (context.stores === undefined ? undefined : look(context, context.stores)),
    advice: ({ settings }) =>
      settings.storage.kind === 's3'
        ? `check that the bucket of PINFOLD_STORAGE_URL exists, and that its credentials have ${RIGHTS[right]}`
        : 'check that archives/ in PINFOLD_DATA_DIR is writable, and on the same volume as staging/',
  };
}

const PREPARING: readonly Check<StorageContext>[] = [
  {
    name: 'uploads',
    expected: 'the data folder can receive an upload',
    look: async (context) => {
      context.stores = await context.open();
      context.staged = await receiveProbe(context.stores);
      return ok('a test upload was received');
    },
    advice: 'check that the disk of PINFOLD_DATA_DIR has room and is writable',
    isRequired: true,
  },
  {
    // An unavailable storage answers this much sooner than a write.
    ...storageCheck('check', 'the storage can store archives', async (_, { archives }) => {
      await archives.check();
      return ok('the storage can store archives');
    }),
    isRequired: true,
  },
];

const PROBING: readonly Check<StorageContext>[] = [
  {
    ...storageCheck('put', 'a small archive can be stored', async (context, { archives, ids, clock }) => {
      if (context.staged === undefined) return undefined;
      context.id = ids.archive(clock.now());
      await archives.put(context.id, context.staged);
      return ok('the archive is stored completely');
    }),
    isRequired: true,
  },
  storageCheck('head', 'the storage finds the archive', async ({ id }, { archives }) => {
    if (id === undefined || (await archives.read(id, 0, 0)) === undefined)
      throw new Error('the object is not there');
    return ok('the object is there');
  }),
  storageCheck(
    'read',
    `${LENGTH} bytes from the middle of the archive can be read`,
    async ({ id }, { archives }) => {
      const bytes = id === undefined ? undefined : await archives.read(id, FROM, LENGTH);
      const written = PROBE.subarray(FROM, FROM + LENGTH);
      if (bytes === undefined || Buffer.compare(bytes, written) !== 0)
        throw new Error('the storage returned other bytes');
      return ok('the storage returned the same bytes');
    },
  ),
  storageCheck('list', 'archives can be listed', async (_, { archives }) => {
    if ((await archives.list(undefined, 1)).length === 0)
      throw new Error('the list is empty, although an archive is stored');
    return ok('the list names an archive');
  }),
  storageCheck('delete', 'the archive can be removed', async ({ id }, { archives }) => {
    if (id !== undefined) await archives.delete(id);
    return ok('the archive is removed');
  }),
];

const VERSIONS: readonly Check<StorageContext>[] = [
  {
    name: 'storage.versions',
    expected: 'the bucket does not keep deleted objects for ever',
    look: ({ settings: { storage } }) => (storage.kind === 's3' ? lookAtVersions(storage) : undefined),
    advice: 'check that the store answers',
  },
];

/**
 * Stores, reads, lists and removes an archive of its own. If it cannot be removed now, a cleanup removes it a day later.
 */
export async function* storageFindings(
  settings: Settings,
  open: () => Promise<Stores>,
): AsyncGenerator<Finding> {
  const context: StorageContext = { settings, open };
  try {
    if (!(yield* runChecks(PREPARING, context))) return;
    yield* runChecks(PROBING, context);
  } finally {
    await context.staged?.discard();
  }
  yield* runChecks(VERSIONS, context);
}

async function receiveProbe({ staging }: Stores): Promise<StagedArchive> {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield PROBE;
  };
  const outcome = await staging.receive(body(), PROBE.byteLength);
  if (outcome.kind === 'too_large') throw new Error('more bytes arrived than were sent');
  return outcome.archive;
}

async function lookAtVersions(storage: Extract<Settings['storage'], { kind: 's3' }>): Promise<Result> {
  const client = await s3ClientOf(storage);
  try {
    const { bucketVersions } = await import('@pinfold/storage-s3/internal');
    const versions = await bucketVersions(client, storage.bucket);
    switch (versions) {
      case 'off':
        return ok('the bucket keeps no versions: deleted archives cannot be recovered');
      case 'kept_for_a_time':
        return ok('the bucket keeps versions, and a lifecycle rule removes them');
      case 'kept':
        return warning(
          'the bucket keeps versions for ever',
          'add a lifecycle rule that removes noncurrent versions and expired delete markers: every ended site slows down listing',
        );
      case 'untold':
        return skipped('the store does not report it');
      default:
        return versions satisfies never;
    }
  } finally {
    client.destroy();
  }
}
