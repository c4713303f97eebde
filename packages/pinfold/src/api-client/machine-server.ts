import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { AccountId } from '@pinfold/core';
import { codeOf } from '@pinfold/core/internal';
import { CommandFailure, UnavailableError } from '../command-line/failures.ts';
import { userName } from '../identity.ts';
import { isLoopback } from '../server/client-address.ts';
import {
  formatMachineCredentials,
  isProof,
  proofUrl,
  readServerFile,
  type ServerFile,
  serverFilePath,
} from '../server/machine-access.ts';
import { type Environment, readSettings, type Settings } from '../settings/settings.ts';
import { resolveWebAddresses, type WebAddresses } from '../settings/web-addresses.ts';
import { tryParseJson } from '../try-parse-json.ts';
import type { Server } from './logins.ts';
import { readBeginning } from './read-beginning.ts';

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

const MAX_WAIT_MS = 2_000;

/** The addresses for links: those of the server that started last, else those of the settings. */
export async function findLinkAddresses(settings: Settings): Promise<WebAddresses> {
  return (await findKnownAddresses(settings)) ?? resolveWebAddresses(settings, settings.port);
}

/** Like {@link findLinkAddresses}; `undefined` if no server has started and the settings have no public URL. */
export async function findKnownAddresses(settings: Settings): Promise<WebAddresses | undefined> {
  const server = await readServerFile(settings.dataDir);
  if (server === undefined && settings.publicUrl === undefined) return undefined;
  return server?.addresses ?? resolveWebAddresses(settings, settings.port);
}

/** The addresses for a link to print. Warns if no server answers; throws if the link could be wrong. */
export async function findPrintableAddresses(
  settings: Settings,
): Promise<{ readonly addresses: WebAddresses; readonly warning?: string }> {
  const server = await readServerFile(settings.dataDir);
  if (server !== undefined && (await isServing(server))) return { addresses: server.addresses };
  // A server at the port of the settings may use another data folder.
  if (settings.publicUrl === undefined) {
    throw new UnavailableError(
      'no server answers here, so the link is unknown: start the server, or set PINFOLD_PUBLIC_URL',
    );
  }
  const addresses = resolveWebAddresses(settings, settings.port);
  if ((await request(`${addresses.publicUrl}/livez`)) !== undefined) return { addresses };
  const warning = `pinfold: no server answers at ${addresses.publicUrl}, the value of PINFOLD_PUBLIC_URL`;
  return { addresses, warning };
}

/** Whether the server that wrote the file answers at its address; proved by a challenge. */
async function isServing(file: ServerFile): Promise<boolean> {
  const challenge = randomBytes(32).toString('base64url');
  const answer = await request(proofUrl(file.address, challenge));
  if (answer?.status !== 200) return false;
  const { proof } = Object(tryParseJson(answer.text)) as { readonly proof?: unknown };
  return isProof(file, challenge, proof);
}

/** Requests a URL; `undefined` if there is no answer in time. */
async function request(url: string): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    const answer = await fetch(url, { redirect: 'manual', signal });
    return { status: answer.status, text: await readBeginning(answer) };
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
    if (isTimeout || (error instanceof TypeError && error.cause instanceof Error)) return undefined;
    throw error;
  }
}
