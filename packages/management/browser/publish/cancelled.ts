import { pause } from './pause.ts';
import type { Upload } from './upload.ts';

/** A publication that the server had completed before it was cancelled. */
export interface LatePublication {
  readonly kind: 'published';
  readonly id: string;
  readonly sharedUrl: string;
  readonly state: 'published' | 'expired' | 'deleted';
  readonly expiresAt: number | null;
  readonly passwordProtected: boolean;
}

/** Why it is not known yet whether a cancelled upload is published. */
export type Unconfirmed = 'running' | 'signed_out' | 'unreachable';

export interface CancelQuestion extends Pick<Upload, 'key'> {
  readonly url: string;
  readonly token: string;
  /** The token of a sign-in that replaced the first; `undefined` while there is none to the same account. */
  freshToken(): Promise<string | undefined>;
  onUnconfirmed(why: Unconfirmed): void;
}

interface Reply {
  readonly status: number;
  readonly body?: { readonly kind: 'cancelled' | 'running' } | LatePublication;
}

const PAUSES = [500, 1_000, 2_000, 4_000, 8_000];
const TIMEOUT = 10_000;

/** Cancels an upload at the server, and asks until the server knows that it is not published, or that it is. */
export async function confirmCancelled(
  { url, key, token: first, freshToken, onUnconfirmed }: CancelQuestion,
  signal: AbortSignal,
): Promise<{ readonly kind: 'cancelled' } | LatePublication> {
  let token = first;
  for (let times = 0; ; times += 1) {
    const { status, body } = await ask(url, { form: token, key }, signal);
    if (body?.kind === 'cancelled' || body?.kind === 'published') return body as LatePublication;
    const isSignedOut = status === 401 || status === 403;
    onUnconfirmed(body?.kind === 'running' ? 'running' : isSignedOut ? 'signed_out' : 'unreachable');
    await pause(PAUSES[Math.min(times, PAUSES.length - 1)] ?? 0, signal);
    if (isSignedOut) token = (await freshToken()) ?? token;
  }
}

async function ask(
  url: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams(fields),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    });
    const { status } = response;
    return status === 200 ? { status, body: await response.json() } : { status };
  } catch (error) {
    signal.throwIfAborted();
    // Without a connection, cut off, too slow, or answered by something between that is no JSON.
    if (error instanceof TypeError || error instanceof DOMException || error instanceof SyntaxError)
      return { status: 0 };
    throw error;
  }
}
