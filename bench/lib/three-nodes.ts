import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { postgresUrl, startPostgres, startS3, startWire, type Wire } from 'pinfold-test-servers';
import { startPinfold } from './pinfold.ts';
import { freePort, type RunningServer } from './processes.ts';

/** Three nodes on one PostgreSQL and one S3 server. */
export type ThreeNodes = Awaited<ReturnType<typeof startThreeNodes>>;

const SITES_HOST = 'share-sites.example';
const PUBLIC_URL = 'https://share.example';
const DISK = 'mount -t tmpfs -o size=24m tmpfs "$1" && shift && exec "$@"';

/** Whether nodes can have separate small disks: on Linux, for users who may create namespaces. */
export const haveSmallDisks =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

/** Starts all of them. `drainSeconds` is how long a node answers on after it is asked to stop. */
export async function startThreeNodes(drainSeconds: number) {
  const root = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  const postgres = await startPostgres();
  let delay = 0;
  const store = await startS3({ before: async () => void (await pause(delay)) });
  await store.makeBucket('bench');
  const key = new NodeApiKeySecrets().mint().text;
  const settings = {
    PINFOLD_PUBLIC_URL: PUBLIC_URL,
    PINFOLD_SITES_URL: `https://${SITES_HOST}`,
    PINFOLD_TRUST_PROXY: '127.0.0.1',
    PINFOLD_STORAGE_URL: `s3://bench/pinfold?endpoint=${encodeURIComponent(store.endpoint)}`,
    PINFOLD_SECRET: 'the secret of all the nodes',
    PINFOLD_API_KEY: key,
    PINFOLD_DRAIN_SECONDS: String(drainSeconds),
    AWS_ACCESS_KEY_ID: 'pinfold',
    AWS_SECRET_ACCESS_KEY: 'this S3 server takes any',
  };
  const nodes: Awaited<ReturnType<typeof nodeOf>>[] = [];
  for (const name of ['one', 'two', 'three']) {
    const way = await startWire(postgres.address.port);
    const url = postgresUrl({ ...postgres.address, port: way.port });
    const folder = join(root, name);
    await mkdir(folder);
    nodes.push(await nodeOf({ ...settings, PINFOLD_DATABASE_URL: url }, folder, way));
  }
  for (const node of nodes) await node.start();
  return {
    nodes,
    authorization: `Bearer ${key}`,
    publicUrl: PUBLIC_URL,
    sitesHost: SITES_HOST,
    /** Delays each answer of the store by a number of milliseconds. */
    slowStore: (milliseconds: number) => {
      delay = milliseconds;
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      for (const node of nodes) await node.database.cut();
      await store.stop();
      await postgres.stop();
      await rm(root, { recursive: true });
    },
  };
}

/** One of them, with its own connection to the database, and its own small disk if the system allows one. */
async function nodeOf(settings: Readonly<Record<string, string>>, folder: string, database: Wire) {
  const port = await freePort();
  const own = { ...settings, PINFOLD_PORT: String(port) };
  const prefix = haveSmallDisks ? ['unshare', '-rm', 'sh', '-c', DISK, 'sh', folder] : [];
  let running: RunningServer | undefined;
  return {
    port,
    database,
    /** The path of the data folder for this process while the node runs. */
    folder: () => (haveSmallDisks ? `/proc/${running?.process.pid}/root${folder}` : folder),
    start: async () => {
      running = await startPinfold(folder, own, { prefix });
    },
    stop: async () => {
      await running?.stop();
      running = undefined;
    },
  };
}
