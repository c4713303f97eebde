import type { Settings } from '../settings/settings.ts';
import { type WebAddresses, webAddresses } from '../settings/web-addresses.ts';
import { CommandFailure } from './failures.ts';
import type { Terminal } from './terminal.ts';

const LONGEST_WAIT_MS = 1_000;

/** The addresses that links begin with. A port that the server chooses is known to the server alone. */
export function knownAddresses(settings: Settings): WebAddresses {
  if (settings.port === 0 && settings.publicUrl === undefined) {
    throw new CommandFailure(
      'with PINFOLD_PORT=0 only the server knows its address; set PINFOLD_PUBLIC_URL to it',
    );
  }
  return webAddresses(settings, settings.port);
}

/** Says so when a link was printed where no server answers. */
export async function noteSilence({ publicUrl }: WebAddresses, { err }: Terminal): Promise<void> {
  if (await answers(publicUrl)) return;
  err(
    `pinfold: no server answers at ${publicUrl}; the address comes from PINFOLD_PUBLIC_URL or PINFOLD_PORT of this command`,
  );
}

async function answers(publicUrl: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
    const answer = await fetch(`${publicUrl}/livez`, { redirect: 'manual', signal });
    await answer.body?.cancel();
    return true;
  } catch (error) {
    if (isSilence(error)) return false;
    throw error;
  }
}

/** What `fetch` rejects with when no answer came, or none in time. */
function isSilence(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError';
  return error instanceof TypeError && error.cause instanceof Error;
}
