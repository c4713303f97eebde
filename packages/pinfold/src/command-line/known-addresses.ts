import { randomBytes } from 'node:crypto';
import { readBeginning } from '../api-client/read-beginning.ts';
import { isProof, proofUrl, readServerFile, type ServerFile } from '../server/machine-access.ts';
import type { Settings } from '../settings/settings.ts';
import { resolveWebAddresses, type WebAddresses } from '../settings/web-addresses.ts';
import { tryParseJson } from '../try-parse-json.ts';
import { UnavailableError } from './failures.ts';

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
export async function isServing(file: ServerFile): Promise<boolean> {
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
