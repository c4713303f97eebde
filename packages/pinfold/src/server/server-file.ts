import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { codeOf, nameOf } from '@pinfold/core/internal';
import { publicUrl } from '@pinfold/http';
import type { WebAddresses } from '../settings/web-addresses.ts';

/** The file of a running server in its data folder, for commands on its machine. */
export interface ServerFile {
  readonly addresses: WebAddresses;
  /** The URL of the address and port that it listens on. */
  readonly address: string;
  /** Lets commands of this machine in; `undefined` of a server that left none. */
  readonly key: string | undefined;
  /** Whether its process was killed: whatever answers at its address now is another server. */
  readonly isOfKilled: boolean;
}

/** How often a server looks whether its file is there, in milliseconds. */
const LOOK_AGAIN = 5_000;

/**
 * Writes the file, and again when another server on the folder has stopped and removed its own; returns a function that
 * removes it, unless another server has written it since.
 *
 * @param failed receives the error of the first write.
 * @param lookAgain the milliseconds between two looks; fewer in tests.
 */
export async function keepServerFile(
  dataDir: string,
  addresses: WebAddresses,
  { host, port }: { readonly host: string; readonly port: number },
  failed: (error: unknown) => void,
  lookAgain: number = LOOK_AGAIN,
): Promise<() => Promise<void>> {
  const file = fileIn(dataDir);
  const { publicUrl: url, sitesUrl, viewerMode } = addresses;
  const content = { public_url: url, sites_url: sitesUrl, viewer_mode: viewerMode };
  const ours = {
    address: addressOf(host, port),
    key: randomBytes(32).toString('base64url'),
    pid: process.pid,
    machine: hostname(),
  };
  const text = `${JSON.stringify({ ...content, ...ours })}\n`;
  await writeFile(file, text, { mode: 0o600 }).catch(failed);
  let written: Promise<void> | undefined;
  const timer = setInterval(() => {
    written = writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch(() => undefined);
  }, lookAgain).unref();
  return async () => {
    clearInterval(timer);
    await written;
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) await rm(file, { force: true });
  };
}

export async function readServerFile(dataDir: string): Promise<ServerFile | undefined> {
  try {
    const {
      public_url: url,
      sites_url: sites,
      viewer_mode: mode,
      address,
      key,
      pid,
      machine,
    } = JSON.parse(await readFile(fileIn(dataDir), 'utf8'));
    const viewerMode = mode === 'path' ? 'path' : 'origin';
    const addresses = { publicUrl: publicUrl(url), sitesUrl: new URL(sites).origin, viewerMode } as const;
    // The processes of another container are none of this one.
    const isOfKilled = machine === hostname() && !isRunning(pid);
    const own = typeof key === 'string' ? key : undefined;
    return { addresses, address: new URL(address).origin, key: own, isOfKilled };
  } catch (error) {
    const isOfContent = ['SyntaxError', 'TypeError'].includes(nameOf(error) ?? '');
    if (codeOf(error) === undefined && !isOfContent) throw error;
    // A missing file, or one that was not written completely: the caller uses the settings.
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Anything else: it is another user's.
    return codeOf(error) !== 'ESRCH';
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
