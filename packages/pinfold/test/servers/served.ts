import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { tokens } from '@pinfold/inversify';
import { ScryptPasswordHasher } from '@pinfold/platform-node';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { compose } from '../../src/compose/compose.ts';
import { type App, type AppOptions, createApp, type Listening, readSettings } from '../../src/index.ts';
import { type CommandRun, type Env, run } from '../command-run.ts';
import { closedAfterTest } from './close-after-test.ts';

/** The command in one environment. */
export interface Shell {
  readonly env: Env;
  run(...args: readonly string[]): Promise<CommandRun>;
  /** Runs a command that must succeed; resolves with its JSON document. */
  json(...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>>;
}

/** A folder of one test with a data folder, and the command with the settings of the service. */
export interface Machine extends Shell {
  readonly folder: string;
  /** Writes a file below the folder; resolves with its path. */
  write(path: string, content: string | Uint8Array): Promise<string>;
  /** Removes the folder; called automatically after the test. */
  close(): Promise<void>;
}

/** A server in this process, with a data folder of its own. */
export interface Served extends Machine, Listening {
  readonly app: App;
  readonly url: string;
  /** The key of the first start; empty if the settings provide one. */
  readonly key: string;
  /** The environment of a remote user who has the key. */
  readonly remote: Env;
}

/** The command on the server's machine, and that of a remote user. */
export const SHELLS: Readonly<Record<string, (served: Served) => Shell>> = {
  "on the server's machine": (served) => served,
  'from a remote machine': ({ remote }) => shellOf(remote),
};

/** Creates a data folder like a server. */
export async function openMachine(settings: Env = {}): Promise<Machine> {
  const machine = await newMachine(settings);
  await (await compose(readSettings(machine.env))).close();
  return machine;
}

const cheapPasswords = new ContainerModule(({ rebind }) => {
  rebind(tokens.passwords).toConstantValue(new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }));
});

/** Starts a server on a free port, without a welcome site and with cheap password hashes. */
export async function serve(settings: Env = {}, { modules = [], ...more }: AppOptions = {}): Promise<Served> {
  const machine = await newMachine(settings);
  const options = { log: () => undefined, ...more, modules: [cheapPasswords, ...modules] };
  const app = await createApp(readSettings(machine.env), options);
  const close = closedAfterTest(async () => {
    await app.close();
    await machine.close();
  });
  const listening = await app.listen().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const { publicUrl: url } = listening.addresses;
  const key = listening.firstStart?.apiKey ?? '';
  return { ...machine, ...listening, app, url, key, remote: { PINFOLD_URL: url, PINFOLD_KEY: key }, close };
}

async function newMachine(settings: Env): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-machine-'));
  const data = join(folder, 'data');
  const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: data, PINFOLD_WELCOME: 'off', ...settings };
  return {
    ...shellOf(env),
    folder,
    write: async (path, content) => {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    close: closedAfterTest(() => rm(folder, { recursive: true })),
  };
}

function shellOf(env: Env): Shell {
  return {
    env,
    run: (...args) => run(env, ...args),
    json: async (...args) => {
      const { code, out, err } = await run(env, ...args, '--json');
      expect(code, err).to.equal(0);
      return JSON.parse(out);
    },
  };
}
