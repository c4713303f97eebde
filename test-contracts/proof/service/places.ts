import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemory, type Memory } from '@pinfold/memory';
import { type S3Server, startS3 } from 'pinfold-test-servers';
import { migratedPlace } from 'pinfold-test-servers/mocha';
import { type ArchivesAddress, openRecords, type RecordsAddress } from './addresses.ts';

export const RECORDS = ['memory', 'sqlite', 'postgres'] as const;
export const ARCHIVES = ['memory', 'files', 's3'] as const;
export type RecordsKind = (typeof RECORDS)[number];
export type ArchivesKind = (typeof ARCHIVES)[number];

/** The addresses of a node's data. */
export interface Addresses {
  /** Uploads lie in its folder `staging`. */
  readonly folder: string;
  readonly records: RecordsAddress;
  readonly archives: ArchivesAddress;
}

/** An empty place for the data of one test's service, on servers that all tests share. */
export interface Place extends Addresses {
  dispose(): Promise<void>;
}

const BUCKET = 'pinfold-proof';

let sharedS3: Promise<S3Server> | undefined;

after('the shared S3 server is stopped', async () => {
  await (await sharedS3)?.stop();
});

/** The S3 server that all tests of this process share, with a bucket in it. */
export async function sharedBucket(): Promise<{ readonly server: S3Server; readonly bucket: string }> {
  sharedS3 ??= openShared();
  return { server: await sharedS3, bucket: BUCKET };
}

async function openShared(): Promise<S3Server> {
  const server = await startS3();
  await server.makeBucket(BUCKET);
  return server;
}

/** Creates a place on backends of these kinds. */
export async function newPlace(records: RecordsKind, archives: ArchivesKind): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-proof-'));
  const memory = createMemory();
  const [recordsPlace, archivesAddress] = await Promise.all([
    placeOfRecords(records, folder, memory),
    addressOfArchives(archives, folder, memory),
  ]);
  return {
    folder,
    records: recordsPlace.address,
    archives: archivesAddress,
    dispose: async () => {
      await recordsPlace.dispose();
      await memory.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function placeOfRecords(
  kind: RecordsKind,
  folder: string,
  memory: Memory,
): Promise<{ readonly address: RecordsAddress; dispose(): Promise<void> }> {
  const nothing = async (): Promise<void> => {};
  switch (kind) {
    case 'memory':
      return { address: { kind, memory }, dispose: nothing };
    case 'sqlite':
      return { address: { kind, file: join(folder, 'pinfold.sqlite') }, dispose: nothing };
    case 'postgres': {
      const place = await migratedPlace(async ({ schema, server }) => {
        const { migrate, close } = await openRecords({ kind, schema, server: server.address });
        await migrate();
        await close();
      });
      const { schema, server } = place;
      return { address: { kind, schema, server: server.address }, dispose: place.dispose };
    }
    default:
      return kind satisfies never;
  }
}

async function addressOfArchives(
  kind: ArchivesKind,
  folder: string,
  memory: Memory,
): Promise<ArchivesAddress> {
  switch (kind) {
    case 'memory':
      return { kind, memory };
    case 'files':
      return { kind, folder: join(folder, 'archives') };
    case 's3': {
      const { server, bucket } = await sharedBucket();
      return { kind, endpoint: server.endpoint, bucket, prefix: `proof/${randomUUID()}` };
    }
    default:
      return kind satisfies never;
  }
}
