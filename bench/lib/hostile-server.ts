import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { send, type UploadTarget } from '../tables/uploads.ts';
import { freePort, pinned, SERVER_CORE } from './processes.ts';

const MiB = 1_048_576;
const SOURCE = '--conditions=@pinfold/source';
const WATCHED = join(import.meta.dirname, '../servers/watched.ts');

/** A server under a hostile load: the reference app of any checkout, on SQLite and files. */
export interface HostileServer {
  readonly pid: number;
  readonly port: number;
  /** Where uploads and what they become lie. */
  readonly folder: string;
  /** Whoever publishes with the key of the first account. */
  readonly publisher: UploadTarget;
  /** Makes a key for an account, with the command's own scopes unless others are named. */
  publisherOf(account: string, ...scopes: readonly string[]): Promise<UploadTarget>;
  /** Publishes an archive; answers the Host of its site. */
  publish(archive: Uint8Array<ArrayBuffer>): Promise<string>;
  /** MiB that it still needs once V8 has given back what it can. */
  heldMiB(): Promise<number>;
  /** Seconds of processor time that it has had, once it gets to answering that. */
  workedSeconds(): Promise<number>;
  /** The longest that its event loop is silent while something goes on, and at work in one turn; in milliseconds. */
  silenceDuring(work: () => Promise<void>): Promise<{ readonly longest: number; readonly atWork: number }>;
  /** Ends it, whatever it is busy with, and removes its data. */
  end(): Promise<void>;
}

/** Starts the server of a checkout on the servers' core, with data of its own and more settings. */
export async function startHostileServer(
  checkout: string,
  more: Readonly<Record<string, string>> = {},
): Promise<HostileServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  const port = await freePort();
  const settings = {
    ...process.env,
    PINFOLD_PORT: String(port),
    PINFOLD_DATA_DIR: folder,
    PINFOLD_API_KEY: new NodeApiKeySecrets().mint().text,
    PINFOLD_WELCOME: 'off',
    PINFOLD_RATE_REQUESTS: 'off',
    PINFOLD_RATE_PUBLICATIONS: 'off',
    PINFOLD_LOG_LEVEL: 'silent',
    ...more,
  };
  const script = join(resolve(checkout), 'bench/servers/pinfold.ts');
  const [program = '', ...args] = pinned(SERVER_CORE, [
    process.execPath,
    SOURCE,
    '--import',
    WATCHED,
    script,
  ]);
  const child = spawn(program, args, {
    cwd: checkout,
    env: settings,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  await ready(child);
  const asked = async (question: string) => {
    const answer = once(child, 'message');
    child.send(question);
    return (await answer)[0];
  };
  const publisher = { port, authorization: `Bearer ${settings.PINFOLD_API_KEY}` };
  return {
    pid: child.pid ?? 0,
    port,
    folder,
    publisher,
    publisherOf: async (account, ...scopes) => {
      const words = [
        'scripts/run.mjs',
        'pinfold',
        'keys',
        'create',
        '--account',
        account,
        ...scopes.flatMap((one) => ['--scope', one]),
      ];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: checkout, env: settings });
      return { port, authorization: `Bearer ${/pf_\w+/.exec(stdout)?.[0]}` };
    },
    publish: async (archive) => {
      const { status, body } = await send(publisher, archive, crypto.randomUUID());
      if (status !== 201) throw new Error(`publishing: ${status} ${body}`);
      return `${JSON.parse(body).pin.id}.localhost:${port}`;
    },
    heldMiB: async () => (await asked('bytes held')) / MiB,
    workedSeconds: () => asked('seconds worked'),
    silenceDuring: async (work) => {
      await asked('listen');
      await work();
      const [longest, atWork] = await asked('silence');
      return { longest, atWork };
    },
    end: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new TypeError('nobody listens to the server');
  for await (const line of createInterface({ input: stdout })) if (/\bready\b/.test(line)) break;
  stdout.resume();
}
