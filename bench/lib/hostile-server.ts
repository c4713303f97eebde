import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { UploadTarget } from '../tables/uploads.ts';
import { startPinfold } from './pinfold.ts';

const MiB = 1_048_576;
const WATCHED = join(import.meta.dirname, '../servers/watched.ts');

/** A server under a hostile load: the reference app of any checkout, on SQLite and files. */
export interface HostileServer {
  readonly pid: number;
  readonly port: number;
  /** The folder of uploads and archives. */
  readonly folder: string;
  /** Publishes with the key of the first account. */
  readonly publisher: UploadTarget;
  /** Makes a key for an account, with the command's own scopes unless others are named. */
  publisherOf(
    account: string,
    ...scopes: readonly string[]
  ): Promise<UploadTarget & { readonly key: string }>;
  /** Publishes an archive; returns the Host of its site. */
  publish(archive: Uint8Array<ArrayBuffer>): Promise<string>;
  /** MiB that it still needs once V8 has released all it can. */
  heldMiB(): Promise<number>;
  /** Seconds of processor time that it has used, once it answers that. */
  workedSeconds(): Promise<number>;
  /** The longest pause of its event loop during a task, and its longest turn; in milliseconds. */
  silenceDuring(work: () => Promise<void>): Promise<{ readonly longest: number; readonly atWork: number }>;
  /** Ends it, however busy it is, and removes its data. A second call does nothing. */
  end(): Promise<void>;
}

/** Starts the server of a checkout on the servers' core, with data of its own and more settings. */
export async function startHostileServer(
  checkout: string,
  more: Readonly<Record<string, string>> = {},
): Promise<HostileServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  const server = await startPinfold(folder, more, { checkout, preload: WATCHED, answers: true });
  const { pid, port, authorization, environment } = server;
  return {
    pid,
    port,
    folder,
    publisher: { port, authorization },
    publisherOf: async (account, ...scopes) => {
      const options = scopes.flatMap((one) => ['--scope', one]);
      const words = ['scripts/run.mjs', 'pinfold', 'keys', 'create', '--account', account, ...options];
      const env = { ...process.env, ...environment };
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: checkout, env });
      const [key = ''] = /pf_\w+/.exec(stdout) ?? [];
      return { port, key, authorization: `Bearer ${key}` };
    },
    publish: async (archive) => server.hostOf(await server.publish(archive, crypto.randomUUID())),
    heldMiB: async () => (await server.ask<number>('bytes held')) / MiB,
    workedSeconds: () => server.ask('seconds worked'),
    silenceDuring: async (work) => {
      await server.ask('listen');
      await work();
      const [longest, atWork] = await server.ask<[longest: number, atWork: number]>('silence');
      return { longest, atWork };
    },
    end: async () => {
      await server.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
