import { join } from 'node:path';
import { stagingFsModule, storageFsModule } from '@pinfold/inversify/storage-fs';
import type { S3ClientOptions } from '@pinfold/storage-s3';
import { type Adapter, databaseOf } from '../settings/databases.ts';
import type { Settings } from '../settings/settings.ts';
import type { StorageSetting } from '../settings/storage-setting.ts';

type S3Client = ReturnType<typeof import('@pinfold/storage-s3').createS3Client>;

/** The folder of archives in the data folder. */
const ARCHIVES = 'archives';

/**
 * The adapters that the settings name. Each is loaded only where it is used: the client of a database or an object
 * store costs as much time as all the rest of the start.
 *
 * @param dataDir the data folder's absolute path.
 * @param addHeaders adds to the headers of requests to an object store.
 */
export async function adaptersOf(
  settings: Settings,
  dataDir: string,
  addHeaders?: S3ClientOptions['addHeaders'],
): Promise<readonly Adapter[]> {
  const { database, storage } = settings;
  return [
    await databaseOf(database).open(dataDir, database.url ?? ''),
    storage.kind === 'files' ? files(dataDir) : await s3(storage, dataDir, addHeaders),
  ];
}

/** What every server with these settings keeps in the data folder; absent where all that lasts is elsewhere. */
export function heldIn({ database, storage }: Settings): string | undefined {
  return databaseOf(database).file ?? (storage.kind === 'files' ? ARCHIVES : undefined);
}

function files(dataDir: string): Adapter {
  const folders = { folder: join(dataDir, ARCHIVES), staging: join(dataDir, 'staging') };
  return { modules: [storageFsModule(folders)], end: async () => {} };
}

/** A bucket that the settings name. */
export type BucketSetting = Extract<StorageSetting, { kind: 's3' }>;

/** The client for a bucket; it is the caller's to destroy. */
export async function s3ClientOf(
  { endpoint, region, pathStyle }: BucketSetting,
  addHeaders?: S3ClientOptions['addHeaders'],
): Promise<S3Client> {
  const { createS3Client } = await import('@pinfold/storage-s3');
  return createS3Client({
    region,
    forcePathStyle: pathStyle,
    ...(addHeaders === undefined ? {} : { addHeaders }),
    ...(endpoint === undefined ? {} : { endpoint }),
  });
}

async function s3(
  storage: BucketSetting,
  dataDir: string,
  addHeaders: S3ClientOptions['addHeaders'],
): Promise<Adapter> {
  const { storageS3Module } = await import('@pinfold/inversify/storage-s3');
  const client = await s3ClientOf(storage, addHeaders);
  const { bucket, prefix } = storage;
  const options = { client, bucket, ...(prefix === '' ? {} : { prefix }) };
  return {
    modules: [stagingFsModule({ staging: join(dataDir, 'staging') }), storageS3Module(options)],
    end: async () => client.destroy(),
  };
}
