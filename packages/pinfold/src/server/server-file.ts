import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf, nameOf } from '@pinfold/core/internal';
import { publicUrl } from '@pinfold/http';
import type { WebAddresses } from '../settings/web-addresses.ts';

/** The file in the data folder with which commands on this machine reach the running server. */
export interface ServerFile {
  readonly addresses: WebAddresses;
  /** The URL of the address and port on which the server listens. */
  readonly address: string;
  /** The key for commands of this machine. */
  readonly key: string;
}

/** Finds the file of the running server. */
export type FindServerFile = () => Promise<ServerFile | undefined>;

/**
 * Writes the file, replacing an earlier one; returns a function that removes it, unless another server has replaced
 * it. Neither throws: errors are reported.
 */
export async function writeServerFile(
  dataDir: string,
  addresses: WebAddresses,
  { host, port }: { readonly host: string; readonly port: number },
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const file = serverFilePath(dataDir);
  const { publicUrl: url, sitesUrl, viewerMode } = addresses;
  const content = { public_url: url, sites_url: sitesUrl, viewer_mode: viewerMode };
  const access = { address: localAddress(host, port), key: randomBytes(32).toString('base64url') };
  const text = `${JSON.stringify({ ...content, ...access })}\n`;
  await replaceFile(file, text).catch(onError);
  return async () => {
    const own = (await readFile(file, 'utf8').catch(() => undefined)) === text;
    // On a read-only disk the server stops cleanly all the same; the next start replaces the file.
    if (own) await rm(file, { force: true }).catch(onError);
  };
}

/** Replaces the file instead of writing into it: an existing one could be readable by others, or a link. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporaryFile = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporaryFile, text, { flag: 'wx', mode: 0o600 });
    await rename(temporaryFile, file);
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  }
}

export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  try {
    const {
      public_url: url,
      sites_url: sites,
      viewer_mode: mode,
      address,
      key,
    } = JSON.parse(await readFile(serverFilePath(dataDir), 'utf8'));
    const viewerMode = mode === 'path' ? 'path' : 'origin';
    const addresses = { publicUrl: publicUrl(url), sitesUrl: new URL(sites).origin, viewerMode } as const;
    if (typeof key !== 'string') throw new TypeError('a server left no key');
    return { addresses, address: new URL(address).origin, key };
  } catch (error) {
    const isInvalid = ['SyntaxError', 'TypeError'].includes(nameOf(error) ?? '');
    if (codeOf(error) === undefined && !isInvalid) throw error;
    // The file is missing or incomplete: the caller uses the settings.
    return undefined;
  }
}

export function serverFilePath(dataDir: string): string {
  return join(resolve(dataDir), 'server.json');
}

/** The URL at which this machine reaches the server: loopback if it listens on all addresses. */
function localAddress(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
