import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, startS3 } from 'pinfold-test-servers';
import { type Front, startFront } from './front.ts';
import { type NodeProcess, startNode } from './node-process.ts';

/** How long the store holds a publication's archive back, so that a node can be killed in the middle of it. */
export interface Gate {
  /** From now on no archive is taken; resolves when one has come. */
  shut(): Promise<void>;
  open(): void;
}

/** The nodes in the order of their names. */
export type Trio = [one: NodeProcess, two: NodeProcess, three: NodeProcess];

/** What would be several machines elsewhere. */
export interface Machines {
  /** What links to sites begin with: the front's address. */
  readonly publicUrl: string;
  readonly front: Front;
  readonly gate: Gate;
  readonly nodes: Readonly<Trio>;
  /** Starts a node that was killed again, on its old data folder. */
  restart(node: NodeProcess): Promise<NodeProcess>;
}

/** Things to end, in the opposite order of their beginning. */
export type Endings = (() => Promise<unknown>)[];

const LEASE_SECONDS = 2;

/**
 * Starts PostgreSQL, an S3 server, a front and three nodes. How to end each is added to `endings` as soon as it runs,
 * so that all can be ended from wherever this breaks off.
 */
export async function startMachines(endings: Endings, signal: AbortSignal): Promise<Machines> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-many-nodes-'));
  endings.push(() => rm(folder, { recursive: true }));
  const postgres = await startPostgres();
  endings.push(() => postgres.stop());
  signal.throwIfAborted();
  const { gate, before } = createGate();
  const store = await startS3({ before });
  endings.push(() => store.stop());
  await store.makeBucket('sites');

  let nodes: Trio | undefined;
  const front = await startFront(() => nodes ?? []);
  endings.push(() => front.close());
  const publicUrl = `http://localhost:${front.port}`;
  const { user, password, host, port, database } = postgres.address;
  const settings = {
    PINFOLD_PORT: '0',
    PINFOLD_PUBLIC_URL: publicUrl,
    PINFOLD_TRUST_PROXY: '127.0.0.1',
    PINFOLD_DATABASE_URL: `postgres://${user}:${password}@${host}:${port}/${database}`,
    PINFOLD_STORAGE_URL: `s3://sites/pinfold?endpoint=${encodeURIComponent(store.endpoint)}`,
    PINFOLD_SECRET: 'the same on every node, and of 32 random bytes elsewhere',
    AWS_ACCESS_KEY_ID: 'pinfold',
    AWS_SECRET_ACCESS_KEY: 'this S3 server takes any',
    LEASE_SECONDS: String(LEASE_SECONDS),
  };
  const start = async (name: string): Promise<NodeProcess> => {
    const node = await startNode(name, { ...settings, PINFOLD_DATA_DIR: join(folder, name) });
    endings.push(() => node.stop());
    return node;
  };
  const starting = [start('node 1'), start('node 2'), start('node 3')] as const;
  // When one fails, the others have begun to run all the same.
  await Promise.allSettled(starting);
  signal.throwIfAborted();
  const started: Trio = await Promise.all(starting);
  nodes = started;
  return {
    publicUrl,
    front,
    gate,
    nodes: started,
    restart: async (dead) => {
      const node = await start(dead.name);
      started[started.indexOf(dead)] = node;
      return node;
    },
  };
}

function createGate(): { readonly gate: Gate; readonly before: (method: string) => Promise<void> } {
  let shut: PromiseWithResolvers<void> | undefined;
  let arrived: PromiseWithResolvers<void> | undefined;
  return {
    before: async (method) => {
      if (method !== 'PUT' || shut === undefined) return;
      arrived?.resolve();
      await shut.promise;
    },
    gate: {
      shut: () => {
        shut = Promise.withResolvers();
        arrived = Promise.withResolvers();
        return arrived.promise;
      },
      open: () => {
        shut?.resolve();
        shut = undefined;
      },
    },
  };
}
