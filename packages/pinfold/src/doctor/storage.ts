import type { ArchiveId, ArchiveStorage, Clock, Ids, StagedArchive, Staging } from '@pinfold/core';
import { s3ClientOf } from '../compose/storage.ts';
import type { Settings } from '../settings/settings.ts';
import { saidOf } from './error-text.ts';
import { type Finding, trying } from './finding.ts';

/** The stores of archives, with what it takes to put one there. */
export interface Stores {
  readonly archives: ArchiveStorage;
  readonly staging: Staging;
  readonly ids: Ids;
  readonly clock: Clock;
}

const PROBE = new TextEncoder().encode('What "pinfold doctor" has put here may be removed.\n');
const [FROM, LENGTH] = [5, 12];

/** What each right is called where rights are given. */
const RIGHTS = {
  check: 's3:GetObject and s3:ListBucket',
  put: 's3:PutObject',
  head: 's3:GetObject and s3:ListBucket',
  read: 's3:GetObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
} as const;

/**
 * Puts an archive of its own into the storage, reads it, lists it and removes it. A probe that cannot be removed is
 * one that sweeps remove a day later, when they can.
 */
export async function* storageFindings(
  settings: Settings,
  open: () => Promise<Stores>,
): AsyncGenerator<Finding> {
  const receiving = trying('uploads', 'receive an upload in the data folder');
  let stores: Stores;
  let staged: StagedArchive;
  try {
    stores = await open();
    staged = await received(stores);
    yield receiving.ok('it came whole');
  } catch (error) {
    yield receiving.failed(
      saidOf(error),
      'see that the disk of PINFOLD_DATA_DIR has room and can be written',
    );
    return;
  }
  const { archives, ids, clock } = stores;
  // What is away would be waited for much longer by a put.
  const isThere = yield* step(settings, 'check', 'ask whether archives could be stored', async () => {
    await archives.check();
    return 'they could';
  });
  if (!isThere) return await staged.discard();
  const id = ids.archive(clock.now());
  const isPut = yield* step(settings, 'put', 'store a small archive, and ask for its size', async () => {
    await archives.put(id, staged);
    return 'it is stored whole';
  });
  await staged.discard();
  if (isPut) yield* usingFindings(settings, archives, id);
  if (settings.storage.kind === 's3') yield await versionsFinding(settings.storage);
}

async function received({ staging }: Stores): Promise<StagedArchive> {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield PROBE;
  };
  const outcome = await staging.receive(body(), PROBE.byteLength);
  if (outcome.kind === 'too_large') throw new Error('more came than was sent');
  return outcome.archive;
}

async function* usingFindings(
  settings: Settings,
  archives: ArchiveStorage,
  id: ArchiveId,
): AsyncGenerator<Finding> {
  yield* step(settings, 'head', 'ask whether it is there', async () => {
    if ((await archives.read(id, 0, 0)) === undefined) throw new Error('it is not');
    return 'it is';
  });
  yield* step(settings, 'read', `read ${LENGTH} bytes from its middle`, async () => {
    const bytes = await archives.read(id, FROM, LENGTH);
    const wanted = PROBE.subarray(FROM, FROM + LENGTH);
    if (bytes === undefined || Buffer.compare(bytes, wanted) !== 0) throw new Error('other bytes came');
    return 'just these bytes came';
  });
  yield* step(settings, 'list', 'list archives', async () => {
    const found = await archives.list(undefined, 1);
    if (found.length === 0) throw new Error('none is listed, though one is there');
    return 'there are some';
  });
  yield* step(settings, 'delete', 'remove it', async () => {
    await archives.delete(id);
    return 'it is gone';
  });
}

/** Answers whether it went well. */
async function* step(
  { storage }: Settings,
  right: keyof typeof RIGHTS,
  tried: string,
  work: () => Promise<string>,
): AsyncGenerator<Finding, boolean> {
  const looking = trying(`storage.${right}`, tried);
  try {
    yield looking.ok(await work());
    return true;
  } catch (error) {
    yield looking.failed(
      saidOf(error),
      storage.kind === 's3'
        ? `see that the bucket of PINFOLD_STORAGE_URL is there, and its credentials have ${RIGHTS[right]}`
        : 'see that archives/ in PINFOLD_DATA_DIR can be written, and lies on the volume of staging/',
    );
    return false;
  }
}

async function versionsFinding(storage: Extract<Settings['storage'], { kind: 's3' }>): Promise<Finding> {
  const looking = trying('storage.versions', 'ask whether the bucket keeps what is deleted');
  const client = await s3ClientOf(storage);
  try {
    const { bucketVersions } = await import('@pinfold/storage-s3');
    const versions = await bucketVersions(client, storage.bucket);
    switch (versions) {
      case 'off':
        return looking.ok('it does not: the archives of ended sites are gone for good');
      case 'kept_for_a_time':
        return looking.ok('it does, and a lifecycle rule ends that');
      case 'kept':
        return looking.warning(
          'it does, for ever',
          'give it a lifecycle rule that removes noncurrent versions and expired delete markers: listing becomes slower with each ended site',
        );
      case 'untold':
        return looking.skipped('the store does not say');
      default:
        return versions satisfies never;
    }
  } catch (error) {
    return looking.failed(saidOf(error), 'see that the store answers');
  } finally {
    client.destroy();
  }
}
