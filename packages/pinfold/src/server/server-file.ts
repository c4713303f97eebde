import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf, nameOf } from '@pinfold/core/internal';
import { publicUrl } from '@pinfold/http';
import type { WebAddresses } from '../settings/web-addresses.ts';

/** The file of a running server in its data folder, for commands on its machine. */
export interface ServerFile {
  readonly addresses: WebAddresses;
  /** The URL of the address and port that it listens on. */
  readonly address: string;
  /** Lets commands of this machine in. */
  readonly key: string;
}

/** Finds the file of the server that runs now. */
export type FindServerFile = () => Promise<ServerFile | undefined>;

/** Writes the file in the place of any other; returns a function that removes it, unless another server has written it since. */
export async function keepServerFile(
  dataDir: string,
  addresses: WebAddresses,
  { host, port }: { readonly host: string; readonly port: number },
  failed: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const file = fileIn(dataDir);
  const { publicUrl: url, sitesUrl, viewerMode } = addresses;
  const content = { public_url: url, sites_url: sitesUrl, viewer_mode: viewerMode };
  const ours = { address: addressOf(host, port), key: randomBytes(32).toString('base64url') };
  const text = `${JSON.stringify({ ...content, ...ours })}\n`;
  await replaceFile(file, text).catch(failed);
  return async () => {
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) await rm(file, { force: true });
  };
}

/** A file that is there could be readable by others, or a link: it is replaced, and never written to. */
async function replaceFile(file: string, text: string): Promise<void> {
  const incoming = `${file}.${randomUUID()}`;
  try {
    await writeFile(incoming, text, { flag: 'wx', mode: 0o600 });
    await rename(incoming, file);
  } catch (error) {
    await rm(incoming, { force: true });
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
    } = JSON.parse(await readFile(fileIn(dataDir), 'utf8'));
    const viewerMode = mode === 'path' ? 'path' : 'origin';
    const addresses = { publicUrl: publicUrl(url), sitesUrl: new URL(sites).origin, viewerMode } as const;
    if (typeof key !== 'string') throw new TypeError('a server left no key');
    return { addresses, address: new URL(address).origin, key };
  } catch (error) {
    const isOfContent = ['SyntaxError', 'TypeError'].includes(nameOf(error) ?? '');
    if (codeOf(error) === undefined && !isOfContent) throw error;
    // A missing file, or one that was not written completely: the caller uses the settings.
    return undefined;
  }
}

function fileIn(dataDir: string): string {
  return join(resolve(dataDir), 'server.json');
}

/** A server that listens on all addresses also answers on the loopback address. */
function addressOf(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
