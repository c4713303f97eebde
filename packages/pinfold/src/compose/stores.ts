import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveStorage, type Clock, Fault, type RoleStore, type Staging } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { type FsStaging, openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import type { S3ClientOptions } from '@pinfold/storage-s3';
import type { Pool } from '../metrics/gauges.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { DatabaseSetting, StorageSetting } from '../settings/store-settings.ts';
import type { ComposeOptions } from './compose.ts';

type S3Client = ReturnType<typeof import('@pinfold/storage-s3').createS3Client>;

/** The maximum number of connections of a process to PostgreSQL. The operators' pages name it, too. */
export const MAX_CONNECTIONS = 10;

export const SCHEMA = 'pinfold';

/** The file of SQLite in the data folder. */
export const SQLITE_FILE = 'pinfold.sqlite';

interface OpenedDatabase {
  persistence(): Promise<Persistence>;
  /** Ends the client, after the persistence is closed. */
  end(): Promise<void>;
  /** The pool of connections; absent for SQLite. */
  readonly pool?: Pool;
}

/** Loads the client of the chosen database only: a client takes as long to load as all the rest of the start. */
export async function openDatabase(
  { kind, url: connectionString }: DatabaseSetting,
  dataDir: string,
): Promise<OpenedDatabase> {
  if (kind === 'sqlite') {
    const { openSqlite } = await import('@pinfold/persistence-sqlite');
    return { persistence: async () => openSqlite({ file: join(dataDir, SQLITE_FILE) }), end: async () => {} };
  }
  const [{ openPostgres, POOL_LIMITS }, { default: pg }] = await Promise.all([
    import('@pinfold/persistence-postgres'),
    import('pg'),
  ]);
  const limits = { max: MAX_CONNECTIONS, fallback_application_name: 'pinfold', ...POOL_LIMITS };
  // Pipelining sends statements without waiting for earlier answers, which saves round trips.
  const pool = new pg.Pool({ connectionString, ...limits, pipeline: true });
  // The pool closes its connections after `end`, when the stores no longer listen. A connection that fails then must not end the process.
  pool.on('error', () => {});
  const persistence = async (): Promise<Persistence> => openPostgres({ pool, schema: SCHEMA });
  return { persistence, end: () => pool.end(), pool };
}

const ARCHIVES = 'archives';

/** The storages of archives and uploads. Each folder is opened when it is first needed. */
export interface OpenedStorage {
  /** @param roles the records of the archives; absent if the folder of archives was checked before. */
  archives(roles?: Pick<RoleStore, 'listArchives'>): Promise<ArchiveStorage>;
  staging(): Promise<Staging>;
  end(): Promise<void>;
}

/**
 * Opens the storage of the settings. Loads the client of an object store only if it is used: it takes as long to load
 * as all the rest of the start.
 */
export async function openStorage(
  { storage }: Settings,
  dataDir: string,
  clock: Clock,
  { addHeaders, purpose }: Pick<ComposeOptions, 'addHeaders' | 'purpose'>,
): Promise<OpenedStorage> {
  let opening: Promise<FsStaging> | undefined;
  const staging = (): Promise<FsStaging> => {
    opening ??= openFsStaging({ folder: join(dataDir, 'staging'), clock });
    return opening;
  };
  if (storage.kind === 'files') {
    const archives: OpenedStorage['archives'] = async (roles) => {
      const named = await roles?.listArchives(undefined, 1);
      if (named?.length === 1) {
        if (purpose === 'command' && !hasArchives(dataDir)) return createMissingArchives(dataDir);
        checkHasArchives(storage, dataDir);
      }
      return openFsArchiveStorage({ folder: join(dataDir, ARCHIVES), staging: await staging(), clock });
    };
    return { archives, staging, end: async () => {} };
  }
  const { S3ArchiveStorage } = await import('@pinfold/storage-s3');
  const client = await createS3ClientFor(storage, addHeaders);
  const bucketOptions = { bucket: storage.bucket, prefix: storage.prefix || undefined };
  const archives = async () => new S3ArchiveStorage({ client, clock, ...bucketOptions });
  return { archives, staging, end: async () => client.destroy() };
}

/**
 * The file or folder that a server with these settings always has in its data folder; `undefined` if all data is
 * elsewhere.
 */
export function dataFolderMark({ database, storage }: Settings): string | undefined {
  if (database.kind === 'sqlite') return SQLITE_FILE;
  return storage.kind === 'files' ? ARCHIVES : undefined;
}

/**
 * Throws if the folder of archives is gone, as while its volume is not mounted: in a new one, every archive would count as
 * removed.
 */
export function checkHasArchives({ kind }: StorageSetting, dataDir: string): void {
  if (kind !== 'files' || hasArchives(dataDir)) return;
  const cause = new Fault('storage_unavailable', 'the folder of archives is missing');
  throw new SettingsError('dataDir', `names ${describeMissingArchives(dataDir)}`, { cause });
}

function hasArchives(dataDir: string): boolean {
  return existsSync(join(dataDir, ARCHIVES));
}

function describeMissingArchives(dataDir: string): string {
  return `a folder without "${ARCHIVES}": ${JSON.stringify(dataDir)}; mount or restore its volume, or create "${ARCHIVES}" if its sites are lost`;
}

/** Fails whenever a command needs an archive. Commands that need none, as those that end an access, still work. */
function createMissingArchives(dataDir: string): ArchiveStorage {
  const fail = async (): Promise<never> => {
    throw new Fault('storage_unavailable', `PINFOLD_DATA_DIR names ${describeMissingArchives(dataDir)}`);
  };
  return { put: fail, read: fail, size: fail, delete: fail, list: fail, check: fail };
}

export type BucketSetting = Extract<StorageSetting, { kind: 's3' }>;

export async function createS3ClientFor(
  { endpoint, region, pathStyle }: BucketSetting,
  addHeaders?: S3ClientOptions['addHeaders'],
): Promise<S3Client> {
  const { createS3Client } = await import('@pinfold/storage-s3');
  return createS3Client({ region, forcePathStyle: pathStyle, addHeaders, endpoint });
}
