import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { postgresUrl, startPostgres, startS3 } from 'pinfold-test-servers';
import { type Server, startServer } from '../power-cuts/server.ts';
import { Ledger, type Node } from './ledger.ts';
import type { DrillResult } from './one-machine.ts';
import type { Release, Releases } from './releases.ts';

const WORKERS = 4;
/** Between the publications of a worker, in milliseconds. */
const PAUSE = 300;
/** Before each comparison. */
const PUBLICATIONS = 40;
const BUCKET = 'releases';

/** Two nodes on PostgreSQL and S3, replaced one by one by the next release, and back, under load. */
export async function onTwoNodes(folder: string, releases: Releases): Promise<DrillResult> {
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  try {
    await s3.makeBucket(BUCKET);
    return await replaceNodes(folder, releases, {
      PINFOLD_VIEWER_MODE: 'path',
      PINFOLD_DATABASE_URL: postgresUrl(postgres.address),
      PINFOLD_STORAGE_URL: `s3://${BUCKET}/archives?endpoint=${encodeURIComponent(s3.endpoint)}`,
      PINFOLD_SECRET: 'the secret of all nodes',
      AWS_ACCESS_KEY_ID: 'pinfold',
      AWS_SECRET_ACCESS_KEY: 'a secret that no one checks',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
  } finally {
    await Promise.all([postgres.stop(), s3.stop()]);
  }
}

async function replaceNodes(
  folder: string,
  { previous, next }: Releases,
  env: Readonly<Record<string, string>>,
): Promise<DrillResult> {
  const { text: key } = new NodeApiKeySecrets().mint();
  const ledger = new Ledger(key);
  const nodes = new Nodes(folder, key, env, ledger);
  const differences: Record<string, readonly string[]> = {};
  try {
    await nodes.start(previous);
    await nodes.start(previous);
    const traffic = new Traffic(ledger, nodes);
    const compareBoth = async (name: string): Promise<void> => {
      await traffic.grow();
      const found = await Promise.all(nodes.all.map((node) => ledger.differences(node)));
      differences[name] = found.flat();
    };
    await compareBoth('filled');
    for (const [name, release] of Object.entries({ migrated: next, 'stepped back': previous })) {
      await nodes.start(release);
      await compareBoth(`${name}, both side by side`);
      await nodes.endOldest();
      await nodes.start(release);
      await nodes.endOldest();
      await compareBoth(name);
    }
    await traffic.end();
  } finally {
    while (nodes.all.length > 0) await nodes.endOldest();
  }
  return { publications: ledger.size, repeated: ledger.repeated, differences };
}

class Nodes {
  readonly #running = new Map<Server, Node>();
  readonly #folder: string;
  readonly #key: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #ledger: Ledger;

  constructor(folder: string, key: string, env: Readonly<Record<string, string>>, ledger: Ledger) {
    this.#folder = folder;
    this.#key = key;
    this.#env = env;
    this.#ledger = ledger;
  }

  get all(): readonly Node[] {
    return [...this.#running.values()];
  }

  async start({ command }: Release): Promise<void> {
    const server = await startServer(join(this.#folder, randomUUID()), this.#key, this.#env, command);
    this.#running.set(server, this.#ledger.nodeAt(server.url));
  }

  /** Sends it no more requests, and lets it finish the running ones. */
  async endOldest(): Promise<void> {
    const [oldest] = this.#running.keys();
    if (oldest === undefined) return;
    this.#running.delete(oldest);
    await oldest.end();
  }
}

/** Publishes and changes through the current nodes until it is stopped or a request fails. */
class Traffic {
  readonly #ledger: Ledger;
  readonly #workers: Promise<void>;
  #isEnded = false;

  constructor(ledger: Ledger, nodes: Nodes) {
    this.#ledger = ledger;
    const work = async (): Promise<void> => {
      for (; !this.#isEnded; await pause(PAUSE)) await ledger.add(() => nodes.all);
    };
    this.#workers = Promise.all(Array.from({ length: WORKERS }, work)).then(() => undefined);
    // Its failure is thrown to the caller that waits for more.
    this.#workers.catch(() => undefined);
  }

  async grow(): Promise<void> {
    const enough = this.#ledger.size + PUBLICATIONS;
    while (this.#ledger.size < enough) await Promise.race([pause(PAUSE), this.#workers]);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#workers;
  }
}
