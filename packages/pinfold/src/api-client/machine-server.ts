import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { AccountId } from '@pinfold/core';
import { codeOf } from '@pinfold/core/internal';
import { CommandFailure, UnavailableError } from '../command-line/failures.ts';
import { isServing } from '../command-line/known-addresses.ts';
import { userName } from '../identity.ts';
import { isLoopback } from '../server/client-address.ts';
import {
  formatMachineCredentials,
  readServerFile,
  type ServerFile,
  serverFilePath,
} from '../server/machine-access.ts';
import { type Environment, readSettings } from '../settings/settings.ts';
import type { Server } from './logins.ts';

/**
 * The server on the data folder of these settings, with its key for commands of this machine. Before each request it
 * must prove that it has the key, because another process may listen at its address by then.
 *
 * @throws UnavailableError if no server answers; CommandFailure if only another user or another machine can reach it.
 */
export async function findMachineServer(env: Environment, account: AccountId): Promise<Server> {
  const { dataDir } = readSettings(env);
  const file = await readServerFile(dataDir);
  if (file === undefined || !(await isServing(file))) throw await notServingError(dataDir, file);
  const caller = { account, user: userName() };
  const { address } = file;
  return {
    url: localUrl(file),
    apiKey: formatMachineCredentials(file.key, caller),
    // A server that has restarted since has another key.
    fetch: async (input, init) => {
      const current = await readServerFile(dataDir);
      if (current?.address !== address || !(await isServing(current))) {
        throw new TypeError('fetch failed', { cause: new Error(`the server of ${dataDir} does not answer`) });
      }
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${formatMachineCredentials(current.key, caller)}`);
      return fetch(input, { ...init, headers });
    },
  };
}

async function notServingError(dataDir: string, file: ServerFile | undefined): Promise<CommandFailure> {
  const path = serverFilePath(dataDir);
  if ((await readFile(path).catch(codeOf)) === 'EACCES') {
    const advice = "run this as the server's user, or give the --url of the server";
    return new CommandFailure(`${path} cannot be read by this user: ${advice}`, 'unreadable');
  }
  const host = new URL(file?.address ?? 'http://localhost').hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isLoopback(host)) {
    return new CommandFailure(
      `the server of the data folder ${dataDir} listens only on ${host} (PINFOLD_HOST), where commands need a key: give its --url`,
      'usage',
    );
  }
  return new UnavailableError(
    `no server runs on the data folder ${dataDir} (PINFOLD_DATA_DIR): start one with "pinfold serve", or give the --url of one`,
  );
}

/** The server's local address with the path of its public URL. */
function localUrl({ address, addresses }: ServerFile): string {
  return `${address}${new URL(addresses.publicUrl).pathname}`.replace(/\/$/, '');
}
