import { randomBytes } from 'node:crypto';
import { parsedJson } from '../parsed-json.ts';
import { isProof, proofUrl } from '../server/machine-proof.ts';
import { readServerFile, type ServerFile } from '../server/server-file.ts';
import type { Settings } from '../settings/settings.ts';
import { type WebAddresses, webAddresses } from '../settings/web-addresses.ts';
import { UnavailableError } from './failures.ts';

const MAX_WAIT_MS = 2_000;
const MAX_ANSWER_CHARACTERS = 4_096;

/** The addresses that links begin with: those of the server that was started last, or those of the settings. */
export async function linkAddresses(settings: Settings): Promise<WebAddresses> {
  return (await knownAddresses(settings)) ?? webAddresses(settings, settings.port);
}

/** Like {@link linkAddresses}; `undefined` if no server was started and the settings have no public URL. */
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
  if (server !== undefined && (await isServing(server))) return { addresses: server.addresses };
  // Whatever answers at the port of the settings may serve another folder.
  if (settings.publicUrl === undefined) {
    throw new UnavailableError(
      'no server answers here, so the link is unknown: start the server, or set PINFOLD_PUBLIC_URL',
    );
  }
  const addresses = webAddresses(settings, settings.port);
  if ((await answerOf(`${addresses.publicUrl}/livez`)) !== undefined) return { addresses };
  const warning = `pinfold: no server answers at ${addresses.publicUrl}, the value of PINFOLD_PUBLIC_URL`;
  return { addresses, warning };
}

/** Whether the server that wrote the file answers at its address. */
export async function isServing(file: ServerFile): Promise<boolean> {
  const challenge = randomBytes(32).toString('base64url');
  const answer = await answerOf(proofUrl(file.address, challenge));
  if (answer?.status !== 200) return false;
  const { proof } = Object(parsedJson(answer.text)) as { readonly proof?: unknown };
  return isProof(file, challenge, proof);
}

/** The answer at a URL; undefined if there was none in time. */
async function answerOf(
  url: string,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    const answer = await fetch(url, { redirect: 'manual', signal });
    return { status: answer.status, text: await textOf(answer) };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    if (isLate || (error instanceof TypeError && error.cause instanceof Error)) return undefined;
    throw error;
  }
}

/** The beginning of an answer. The server is unknown, so its answer may be of any length. */
async function textOf({ body }: Response): Promise<string> {
  let text = '';
  for await (const piece of body ?? []) {
    text += Buffer.from(piece).toString('latin1');
    if (text.length > MAX_ANSWER_CHARACTERS) break;
  }
  return text;
}
