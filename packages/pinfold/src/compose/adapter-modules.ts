import { join } from 'node:path';
import { stagingFsModule, storageFsModule } from '@pinfold/inversify/storage-fs';
import type { S3ClientOptions } from '@pinfold/storage-s3';
import { type Adapter, databaseOf } from '../settings/databases.ts';
import type { Settings } from '../settings/settings.ts';
import type { StorageSetting } from '../settings/storage-setting.ts';

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

async function s3(
  storage: Extract<StorageSetting, { kind: 's3' }>,
  dataDir: string,
  addHeaders: S3ClientOptions['addHeaders'],
): Promise<Adapter> {
  const [{ storageS3Module }, { createS3Client }] = await Promise.all([
    import('@pinfold/inversify/storage-s3'),
    import('@pinfold/storage-s3'),
  ]);
  const { bucket, prefix, endpoint, region, pathStyle } = storage;
  const client = createS3Client({
    region,
    forcePathStyle: pathStyle,
    ...(addHeaders === undefined ? {} : { addHeaders }),
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  const options = { client, bucket, ...(prefix === '' ? {} : { prefix }) };
  return {
    modules: [stagingFsModule({ staging: join(dataDir, 'staging') }), storageS3Module(options)],
    end: async () => client.destroy(),
  };
}
