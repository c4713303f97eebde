import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Installation, installPostgres, type Owner } from './postgres-binaries.ts';
import { quietPort } from './quiet-port.ts';

/** The address of a server, as `pg` accepts it. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The address as a connection URL. */
export function postgresUrl({ user, password, host, port, database }: PostgresAddress): string {
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
}

/** A real PostgreSQL of this process, on 127.0.0.1. */
export interface PostgresServer {
  readonly address: PostgresAddress;
  /** Stops it like a crash, which cuts all connections, and starts it again on the same port. */
  crash(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

const USER = 'pinfold';

/** Without syncs, since the data is temporary. Texts are sorted by a language by default. */
const INITDB = [
  '--set=scram_iterations=1',
  '--no-sync',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
];
const SETTINGS = [
  'fsync=off',
  'jit=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'full_page_writes=off',
  'max_connections=300',
  'max_prepared_transactions=9',
  'unix_socket_directories=',
];

/** Ends the server when this process ends in any way, by the end of its standard input. */
const KEEPER = '"$@" <&- & server=$!; cat >/dev/null; kill -INT $server 2>/dev/null; wait $server';

/**
 * Starts PostgreSQL from its npm package over an empty folder.
 *
 * @throws Error with the server's output if it does not start.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const installation = await installPostgres();
  try {
    const password = randomBytes(16).toString('hex');
    await initialise(installation, password);
    const port = await quietPort();
    let keeper = await launch(installation, port);
    return {
      address: { host: '127.0.0.1', port, user: USER, password, database: 'postgres' },
      crash: async () => {
        process.kill(await serverOf(installation), 'SIGQUIT');
        await ended(keeper);
        keeper = await launch(installation, port);
      },
      stop: async () => {
        await ended(keeper);
        await rm(installation.folder, { recursive: true });
      },
    };
  } catch (error) {
    await rm(installation.folder, { recursive: true });
    throw error;
  }
}

async function initialise({ folder, owner }: Installation, password: string): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password);
  await chmod(passwordFile, 0o644);
  const program = join(folder, 'native', 'bin', 'initdb');
  const data = join(folder, 'data');
  const flags = [`--username=${USER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...INITDB];
  const child = start(program, [`--pgdata=${data}`, ...flags], owner);
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`PostgreSQL could not be set up: ${output}`);
}

/** In a group of its own, so that Ctrl-C ends only this process, which then stops the server. */
function start(program: string, parameters: readonly string[], owner: Owner) {
  return spawn(program, parameters, {
    ...owner,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
}

/** Resolves when the server accepts connections. */
async function launch({ folder, owner }: Installation, port: number): Promise<ChildProcess> {
  const program = join(folder, 'native', 'bin', 'postgres');
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', ...SETTINGS].flatMap((setting) => [
    '-c',
    setting,
  ]);
  const keeper = start(
    'sh',
    ['-c', KEEPER, 'keeper', program, '-D', join(folder, 'data'), ...settings],
    owner,
  );
  let output = '';
  await new Promise<void>((resolve, reject) => {
    keeper.stderr.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-10_000);
      if (output.includes('ready to accept connections')) resolve();
    });
    keeper.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
  });
  return keeper;
}

async function serverOf({ folder }: Installation): Promise<number> {
  const [pid] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  return Number(pid);
}

async function ended(keeper: ChildProcess): Promise<void> {
  const hasEnded = keeper.exitCode !== null || keeper.signalCode !== null;
  const exit = hasEnded ? undefined : once(keeper, 'exit');
  keeper.stdin?.end();
  await exit;
}
