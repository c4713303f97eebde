import { join } from 'node:path';
import { stagingFsModule, storageFsModule } from '@pinfold/inversify/storage-fs';
import type { ContainerModule } from 'inversify';
import type { DatabaseSetting } from '../settings/database-setting.ts';
import type { Settings } from '../settings/settings.ts';
import type { StorageSetting } from '../settings/storage-setting.ts';

/** The modules of one adapter, with the client that was made for it. */
export interface Adapter {
  readonly modules: readonly ContainerModule[];
  /** Ends the client, after the container has let go of it. */
  end(): Promise<void>;
}

/** Connections to PostgreSQL at the most; the operators' pages count with it. */
const CONNECTIONS = 10;

/**
 * The adapters that the settings name. Each is loaded only where it is used: the client of a database or an object
 * store costs as much time as all the rest of the start.
 *
 * @param dataDir the data folder's absolute path.
 */
export async function adaptersOf(settings: Settings, dataDir: string): Promise<readonly Adapter[]> {
  const { database, storage } = settings;
  return [
    database.kind === 'sqlite' ? await sqlite(dataDir) : await postgres(database),
    storage.kind === 'files' ? files(dataDir) : await s3(storage, dataDir),
  ];
}

async function sqlite(dataDir: string): Promise<Adapter> {
  const { persistenceSqliteModule } = await import('@pinfold/inversify/persistence-sqlite');
  return { modules: [persistenceSqliteModule({ file: join(dataDir, 'pinfold.sqlite') })], end: nothing };
}

async function postgres({ url }: Extract<DatabaseSetting, { kind: 'postgres' }>): Promise<Adapter> {
  const [{ persistencePostgresModule }, { POOL_LIMITS }, { default: pg }] = await Promise.all([
    import('@pinfold/inversify/persistence-postgres'),
    import('@pinfold/persistence-postgres'),
    import('pg'),
  ]);
  const limits = { max: CONNECTIONS, fallback_application_name: 'pinfold', ...POOL_LIMITS };
  const pool = new pg.Pool({ connectionString: url, ...limits });
  return { modules: [persistencePostgresModule({ pool, schema: 'pinfold' })], end: () => pool.end() };
}

function files(dataDir: string): Adapter {
  const folders = { folder: join(dataDir, 'archives'), staging: join(dataDir, 'staging') };
  return { modules: [storageFsModule(folders)], end: nothing };
}

async function s3(storage: Extract<StorageSetting, { kind: 's3' }>, dataDir: string): Promise<Adapter> {
  const [{ storageS3Module }, { createS3Client }] = await Promise.all([
    import('@pinfold/inversify/storage-s3'),
    import('@pinfold/storage-s3'),
  ]);
  const { bucket, prefix, endpoint, region, pathStyle } = storage;
  const client = createS3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  const options = { client, bucket, ...(prefix === '' ? {} : { prefix }) };
  return {
    modules: [stagingFsModule({ staging: join(dataDir, 'staging') }), storageS3Module(options)],
    end: async () => client.destroy(),
  };
}

async function nothing(): Promise<void> {}
