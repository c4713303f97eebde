import { join } from 'node:path';
import type { ArchiveStorage, Clock } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import type { Memory } from '@pinfold/memory';
import type { PostgresAddress } from 'pinfold-test-servers';

/** The records that a node opens. Another process can open all but memory. */
export type RecordsAddress =
  | { readonly kind: 'memory'; readonly memory: Memory }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly server: PostgresAddress; readonly schema: string };

export type ArchivesAddress =
  | { readonly kind: 'memory'; readonly memory: Memory }
  | { readonly kind: 'files'; readonly folder: string }
  | BucketAddress;

export interface BucketAddress {
  readonly kind: 's3';
  readonly endpoint: string;
  readonly bucket: string;
  readonly prefix: string;
}

export interface Archives {
  readonly archives: ArchiveStorage;
  close(): Promise<void>;
}

/** Opens records as one node does. Loads only what the test uses. */
export async function openRecords(address: RecordsAddress): Promise<Persistence> {
  switch (address.kind) {
    case 'memory':
      return address.memory.peer();
    case 'sqlite': {
      const { openSqlite } = await import('@pinfold/persistence-sqlite');
      return await openSqlite({ file: address.file });
    }
    case 'postgres': {
      const { openPostgres } = await import('@pinfold/persistence-postgres');
      const { default: pg } = await import('pg');
      // As the server does; types of `pg` do not have it yet.
      const pipelining = { pipeline: true };
      const pool = new pg.Pool({ ...address.server, max: 10, ...pipelining });
      // A pool ends before its connections, to which a stopping server still sends errors.
      pool.on('error', () => {});
      const handle = await openPostgres({ pool, schema: address.schema });
      const close = async (): Promise<void> => {
        await handle.close();
        await pool.end();
      };
      return { ...handle, close };
    }
    default:
      return address satisfies never;
  }
}

/** Opens archives for a node with its own folder, which has uploads in `staging`. */
export async function openArchives(
  address: ArchivesAddress,
  folder: string,
  clock: Clock,
): Promise<Archives> {
  switch (address.kind) {
    case 'memory':
      return { archives: address.memory.peer().archives, close: async () => {} };
    case 'files': {
      const { openFsArchiveStorage, openFsStaging } = await import('@pinfold/storage-fs');
      const staging = await openFsStaging({ folder: join(folder, 'staging'), clock });
      const archives = await openFsArchiveStorage({ folder: address.folder, staging, clock });
      return { archives, close: async () => {} };
    }
    case 's3':
      return await openBucket(address);
    default:
      return address satisfies never;
  }
}

export async function openBucket({ endpoint, bucket, prefix }: BucketAddress): Promise<Archives> {
  const { createS3Client, S3ArchiveStorage } = await import('@pinfold/storage-s3');
  const { SystemClock } = await import('@pinfold/platform-node');
  const credentials = { accessKeyId: 'pinfold', secretAccessKey: 'a secret that no one checks' };
  const client = createS3Client({ region: 'us-east-1', endpoint, credentials });
  // It needs a real clock to wait between attempts.
  const archives = new S3ArchiveStorage({ client, bucket, prefix, clock: new SystemClock() });
  return { archives, close: async () => client.destroy() };
}
