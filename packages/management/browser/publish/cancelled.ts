import type { RoleState } from '@pinfold/core';
import type { SentPublication } from '../../src/publication.ts';
import type { ProgressPanel } from './progress-panel.ts';
import { lateContent, linkTo, stopForm } from './published.ts';
import { pause, type Upload } from './upload.ts';

/** A publication that the server had completed before it was cancelled. */
export interface LatePublication extends SentPublication {
  readonly kind: 'published';
  readonly state: RoleState;
}

/** Messages by the reason why it is unknown yet whether a cancelled upload is published. */
const UNCONFIRMED = {
  running: 'cancelRunning',
  signed_out: 'cancelSignedOut',
  unreachable: 'cancelUnreachable',
} as const;

interface Reply {
  readonly status: number;
  readonly body?: { readonly kind: 'cancelled' | 'running' } | LatePublication;
}

const PAUSES = [500, 1_000, 2_000, 4_000, 8_000];
const TIMEOUT = 10_000;

/** Cancels an upload at the server, and repeats that until the server confirms that it is published, or that it is not. */
export async function confirmCancelled(
  panel: Pick<ProgressPanel, 'page' | 'freshToken'>,
  { key, token: first }: Pick<Upload, 'key' | 'token'>,
  onUnconfirmed: (why: keyof typeof UNCONFIRMED) => void,
  signal: AbortSignal,
): Promise<{ readonly kind: 'cancelled' } | LatePublication> {
  let token = first;
  for (let times = 0; ; times += 1) {
    const { status, body } = await ask(panel.page('publish/cancel'), { form: token, key }, signal);
    if (body?.kind === 'cancelled' || body?.kind === 'published') return body as LatePublication;
    const isSignedOut = status === 401 || status === 403;
    onUnconfirmed(body?.kind === 'running' ? 'running' : isSignedOut ? 'signed_out' : 'unreachable');
    await pause(PAUSES[Math.min(times, PAUSES.length - 1)] ?? 0, signal);
    if (isSignedOut) token = (await panel.freshToken()) ?? token;
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
    // No connection, a timeout, or an answer that is not JSON, as from a proxy.
    if (error instanceof TypeError || error instanceof DOMException || error instanceof SyntaxError)
      return { status: 0 };
    throw error;
  }
}

/** Waits until the server has confirmed the outcome of the upload; `undefined` if the person stops waiting. */
export async function showCancelling(
  panel: ProgressPanel,
  upload: Upload,
): Promise<Awaited<ReturnType<typeof confirmCancelled>> | undefined> {
  const { messages } = panel;
  const waiting = new AbortController();
  panel.wait(messages.text('cancelling'));
  const onUnconfirmed = (why: keyof typeof UNCONFIRMED): void => {
    const closeButton = panel.closeButton('chooseAnother', () => waiting.abort());
    panel.wait(messages.text(UNCONFIRMED[why]), closeButton);
  };
  try {
    return await confirmCancelled(panel, upload, onUnconfirmed, waiting.signal);
  } catch (error) {
    if (error !== waiting.signal.reason) throw error;
    return undefined;
  }
}

/** Shows a publication that was complete before it was cancelled, with a button that stops it. */
export async function showLate(panel: ProgressPanel, late: LatePublication, name: string): Promise<void> {
  const { messages } = panel;
  const address = panel.page(`publications/${late.id}`);
  const details = linkTo(address, messages.text('showDetails'));
  const closeButton = panel.closeButton('publishAnother');
  if (late.state !== 'published') {
    panel.end(messages.text('cancelledStopped'), 'bad', undefined, details, closeButton);
    return;
  }
  const stop = stopForm(messages, address, (await panel.freshToken()) ?? panel.data.token);
  panel.end(
    messages.text('cancelledLate'),
    'bad',
    lateContent(messages, late, name),
    stop,
    details,
    closeButton,
  );
}
