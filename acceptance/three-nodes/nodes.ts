import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type Duration } from '@pinfold/core';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { START } from '@pinfold/test-contracts/fixtures';
import pg from 'pg';
import { openBucket } from 'pinfold-proof/service/addresses.ts';
import { type PostgresAddress, postgresUrl } from 'pinfold-test-servers';
import { type Child, startChild } from '../service/child.ts';
import { Client } from '../service/client.ts';
import type { NodeMessage, NodeOrders, NodeTask } from './node.ts';

/** One of several processes. */
export interface RunningNode {
  readonly url: string;
  readonly port: number;
  readonly client: Client;
  readonly process: Child<NodeMessage>;
  /** Resolves when the node has done it. */
  carryOut(task: NodeTask): Promise<void>;
}

/** Several processes of the reference server on one PostgreSQL and one S3 server. */
export type Nodes = Awaited<ReturnType<typeof openNodes>>;

/** The backends that several processes share. */
export interface Backends {
  readonly postgres: PostgresAddress;
  /** The S3 server's endpoint, and a bucket of it. */
  readonly s3: string;
  readonly bucket: string;
  /** Further settings of all nodes. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function openNodes({ postgres, s3, bucket, settings = {} }: Backends) {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-nodes-'));
  const databaseUrl = await newDatabase(postgres);
  const prefix = `nodes/${randomUUID()}`;
  const { text: key, id: keyId } = new NodeApiKeySecrets().mint();
  const running = new Set<RunningNode>();
  /** Including those that did not start. */
  const startedProcesses: Child<NodeMessage>[] = [];
  let now = START;
  const env = (name: string): Readonly<Record<string, string>> => ({
    PINFOLD_PORT: '0',
    PINFOLD_VIEWER_MODE: 'path',
    PINFOLD_DATA_DIR: join(folder, name),
    PINFOLD_DATABASE_URL: databaseUrl,
    PINFOLD_STORAGE_URL: `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(s3)}`,
    PINFOLD_SECRET: 'the secret of all nodes',
    PINFOLD_API_KEY: key,
    PINFOLD_WELCOME: 'off',
    AWS_ACCESS_KEY_ID: 'pinfold',
    AWS_SECRET_ACCESS_KEY: 'a secret that no one checks',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...settings,
  });
  const start = async (orders: Omit<NodeOrders, 'now'> = {}): Promise<RunningNode> => {
    const script = join(import.meta.dirname, 'node.ts');
    const process = await startChild<NodeMessage>(script, { now, ...orders }, env(randomUUID()));
    startedProcesses.push(process);
    const { url, port } = await process.nextMessage('listening');
    const carryOut = async (task: NodeTask): Promise<void> => {
      process.send(task);
      await process.nextMessage('done');
    };
    const node = { url, port, client: new Client(url, key), process, carryOut };
    running.add(node);
    void process.ended().then(() => running.delete(node));
    return node;
  };
  const storage = await openBucket({ kind: 's3', endpoint: s3, bucket, prefix });
  return {
    key,
    keyId,
    /** The storage of the nodes' archives, for the test itself. */
    archives: storage.archives,
    start,
    /** Advances the clocks of all nodes, including those that start later. */
    advance: async (length: Duration) => {
      now = after(now, length);
      await Promise.all([...running].map((node) => node.carryOut({ kind: 'advance', length })));
    },
    dispose: async () => {
      for (const process of startedProcesses) process.kill();
      await Promise.all(startedProcesses.map((process) => process.ended()));
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An empty database; it is deleted with the server's data. */
async function newDatabase(address: PostgresAddress): Promise<string> {
  const database = `nodes_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(address);
  await client.connect();
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
  return postgresUrl({ ...address, database });
}
