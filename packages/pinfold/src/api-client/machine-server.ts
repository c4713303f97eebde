import type { AccountId } from '@pinfold/core';
import { UnavailableError } from '../command-line/failures.ts';
import { aliveAt } from '../command-line/known-addresses.ts';
import { userName } from '../identity.ts';
import { machineCredentials } from '../server/machine-key.ts';
import { readServerFile, type ServerFile } from '../server/server-file.ts';
import { type Environment, readSettings } from '../settings/settings.ts';
import type { Server } from './logins.ts';

/**
 * The server that runs on the data folder of these settings, with its key for commands of this machine.
 *
 * @throws UnavailableError when none answers.
 */
export async function serverOfMachine(env: Environment, account: AccountId): Promise<Server> {
  const { dataDir } = readSettings(env);
  const file = await readServerFile(dataDir);
  if (file?.key === undefined || file.isOfKilled || (await aliveAt(file.address)) !== 200) {
    throw new UnavailableError(
      `no server runs on the data folder ${dataDir} (PINFOLD_DATA_DIR): start one with "pinfold serve", or name one with --url`,
    );
  }
  const caller = { account, user: userName() };
  return {
    url: urlOf(file),
    apiKey: machineCredentials(file.key, caller),
    // A server that was started again meanwhile has another key.
    fetch: async (input, init) => {
      const { key } = (await readServerFile(dataDir)) ?? {};
      if (key === undefined) return fetch(input, init);
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${machineCredentials(key, caller)}`);
      return fetch(input, { ...init, headers });
    },
  };
}

/** Where it listens, with the path of its public URL. */
function urlOf({ address, addresses }: ServerFile): string {
  return `${address}${new URL(addresses.publicUrl).pathname}`.replace(/\/$/, '');
}
