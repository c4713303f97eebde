import { readServerFile } from '../server/server-file.ts';
import type { Settings } from '../settings/settings.ts';
import { type WebAddresses, webAddresses } from '../settings/web-addresses.ts';
import { UnavailableError } from './failures.ts';

const LONGEST_WAIT_MS = 1_000;

/** The addresses that links begin with: those of the server that was started last, or those of the settings. */
export async function linkAddresses(settings: Settings): Promise<WebAddresses> {
  return (await knownAddresses(settings)) ?? webAddresses(settings, settings.port);
}

/** The same; `undefined` if no server was started and the settings have no public URL. */
export async function knownAddresses(settings: Settings): Promise<WebAddresses | undefined> {
  const server = await readServerFile(settings.dataDir);
  if (server === undefined && settings.publicUrl === undefined) return undefined;
  return server?.addresses ?? webAddresses(settings, settings.port);
}

/** The addresses of links to print, with a warning if no server answers. Throws if the link could then be wrong. */
export async function printableAddresses(
  settings: Settings,
): Promise<{ readonly addresses: WebAddresses; readonly warning?: string }> {
  const server = await readServerFile(settings.dataDir);
  if (server?.isOfKilled === false && (await aliveAt(server.address)) === 200)
    return { addresses: server.addresses };
  // Whatever answers at the port of the settings may serve another folder.
  if (settings.publicUrl === undefined) {
    throw new UnavailableError(
      'no server answers here, so the link is unknown: start the server, or set PINFOLD_PUBLIC_URL',
    );
  }
  const addresses = webAddresses(settings, settings.port);
  if ((await aliveAt(addresses.publicUrl)) !== undefined) return { addresses };
  const warning = `pinfold: no server answers at ${addresses.publicUrl}, the value of PINFOLD_PUBLIC_URL`;
  return { addresses, warning };
}

/** The status of the probe there; undefined if no answer came, or none in time. */
export async function aliveAt(url: string): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
    const answer = await fetch(`${url}/livez`, { redirect: 'manual', signal });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (isLate || (error instanceof TypeError && error.cause instanceof Error)) return undefined;
    throw error;
  }
}
