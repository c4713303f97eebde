import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import type { AccountId } from '@pinfold/core';
import { codeOf, isError, isOperatorText, nameOf, parseAccountId } from '@pinfold/core/internal';
import { publicUrl, type RequestLog } from '@pinfold/http';
import type { Authenticate } from '@pinfold/http-express';
import { bearerToken } from '@pinfold/http-express/internal';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { createTrustCheck } from './client-address.ts';
import { sendOwnAnswer } from './own-routes.ts';

/** The file in the data folder with which commands on this machine reach the running server. */
export interface ServerFile {
  readonly addresses: WebAddresses;
  /** The URL of the address and port on which the server listens. */
  readonly address: string;
  /**
   * The key for commands of this machine. It lets them act for every account, because a user who can read the data
   * folder could read the data anyway.
   */
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

const PREFIX = 'machine_';

const isOfThisMachine = createTrustCheck({ kind: 'none' });

/** The account to act as, and the user of the machine. */
interface MachineCaller {
  readonly account: AccountId;
  /** The name of the machine's user, if it has one. */
  readonly user: string | null;
}

/** The text that replaces an API key: the server's key, the account and the user. */
export function formatMachineCredentials(key: string, { account, user }: MachineCaller): string {
  return `${PREFIX}${[key, encode(account), encode(user ?? '')].join('.')}`;
}

/**
 * Also accepts the key of the server file from callers on this machine; passes all others to `authenticate`. Reads
 * the file for each request, because another process may have written it.
 */
export function acceptMachineKey(authenticate: Authenticate, serverFile: FindServerFile): Authenticate {
  return async (request, options) => {
    const token = bearerToken(request);
    if (!token?.startsWith(PREFIX)) return authenticate(request, options);
    if (!isOfThisMachine(request)) return undefined;
    const [key = '', account = '', user = ''] = token.slice(PREFIX.length).split('.');
    // A stopping server has removed its file, but finishes requests that it has admitted.
    const isCurrent = options.again?.operator !== undefined || isEqual((await serverFile())?.key, key);
    const parsed = isCurrent ? parseAccountId(decode(account)) : undefined;
    if (parsed === undefined) return undefined;
    const name = decode(user);
    const operator = isOperatorText(name) ? name : null;
    return { account: parsed, scopes: ['pins:read', 'pins:write'], operator };
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}

// The file of a killed server stays, and any process may then listen on its port. So before a command sends the key, a
// site or a password, the server must prove that it has the key of the file.

const PROOF_PATH = '/healthz/machine';
const CHALLENGE = /^challenge=([\w-]{43})$/;

/** The URL that answers a random challenge (32 bytes in base64url) with a proof of the key. */
export function proofUrl(address: string, challenge: string): string {
  return `${address}${PROOF_PATH}?challenge=${challenge}`;
}

/** Whether a proof was made with the key by the server at this address. */
export function isProof(
  { address, key }: { readonly address: string; readonly key: string },
  challenge: string,
  proof: unknown,
): boolean {
  return isEqual(String(proof), computeProof(key, challenge, Number(new URL(address).port || 80)));
}

/** Includes the port, so that a process on another port cannot forward the challenge. */
function computeProof(key: string, challenge: string, port: number): string {
  return createHmac('sha256', key).update(`${challenge}:${port}`).digest('base64url');
}

/** Answers challenges from this machine. Returns whether the request was one. */
export function createProofEndpoint(
  serverFile: FindServerFile,
  log: RequestLog,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    const [, challenge] = (path === PROOF_PATH && CHALLENGE.exec(query)) || [];
    if (challenge === undefined || request.method !== 'GET' || !isOfThisMachine(request)) return false;
    const began = performance.now();
    serverFile()
      .then((file) => {
        const port = request.socket.localPort ?? 0;
        const json = { proof: file === undefined ? null : computeProof(file.key, challenge, port) };
        sendOwnAnswer({ status: 200, json }, { log, route: PROOF_PATH, began }, request, response);
      })
      .catch((error: unknown) => response.destroy(isError(error) ? error : undefined));
    return true;
  };
}

/** Compares digests, so that the time does not depend on where the texts differ. */
function isEqual(one: string | undefined, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return one !== undefined && timingSafeEqual(digest(one), digest(other));
}
