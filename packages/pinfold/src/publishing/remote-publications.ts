import type { Pin, PinfoldClient } from '@pinfold/client';
import { createClient, RetryBudget, toCommandFailure } from '../api-client/api-call.ts';
import type { Server } from '../api-client/logins.ts';
import { UnavailableError, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import type { Original } from '../saving/original.ts';
import type { Publications } from './publications.ts';
import { refusalMessage } from './refusal-text.ts';

/** A proxy may have turned the ETag into a weak one. */
const SHA256_TAG = /^(?:W\/)?"([0-9a-f]{64})"$/;

const SITE_TIMEOUT = 2_000;

/** @param sharesBudget whether all requests share the time for retries; otherwise each publication has its own. */
export async function openRemotePublications(
  server: Server,
  terminal: Terminal,
  sharesBudget: boolean = false,
): Promise<Publications> {
  const api = await createClient(server, terminal, sharesBudget ? new RetryBudget() : undefined);
  return {
    api,
    toFailure: (error) => toCommandFailure(error, server),
    publish: async ({ bytes, ...options }) => {
      // The client would throw a TypeError, as for a mistake in code. Here the user made the mistake.
      if (options.idempotencyKey.includes(server.apiKey))
        throw new UsageError(refusalMessage('idempotency_key_secret'));
      const client = sharesBudget ? api : await createClient(server, terminal, new RetryBudget());
      const { idempotencyKey: _, ...published } = await client.publish(bytes, options);
      return published;
    },
  };
}

/** Opens the ZIP of a publication as it was uploaded. */
export async function openOriginal(api: PinfoldClient, id: string): Promise<Original> {
  const stallController = new AbortController();
  const response = await api.archive(id, { signal: stallController.signal });
  const [, sha256] = SHA256_TAG.exec(response.headers.get('etag') ?? '') ?? [];
  return { sha256, pieces: bodyPieces(response, stallController) };
}

/** Finds the host of a site by following its shared URL; `undefined` if that asks for a password or cannot be reached. */
export async function findSiteHost({ id, shared_url }: Pin): Promise<string | undefined> {
  const signal = AbortSignal.timeout(SITE_TIMEOUT);
  const request: RequestInit = { method: 'HEAD', redirect: 'manual', signal };
  const location = await fetch(shared_url, request).then(
    ({ headers }) => headers.get('location'),
    () => null,
  );
  if (location === null || !URL.canParse(location)) return undefined;
  const { host, pathname } = new URL(location);
  // An access gateway in front of the server may redirect to its own sign-in page.
  return `${host}${pathname}`.includes(id) ? host : undefined;
}

/** Ends a download after this time without a byte, in milliseconds. */
const IDLE = 60_000;

/**
 * Yields the body of an answer as it arrives.
 *
 * @param stalled aborted after a minute without a byte; the request must use its signal.
 *
 * @throws UnavailableError if the connection ends before the body does.
 */
async function* bodyPieces(
  { body }: Response,
  stalled: AbortController,
  idle: number = IDLE,
): AsyncGenerator<Uint8Array, void> {
  const startTimer = () => setTimeout(() => stalled.abort(), idle);
  let timer = startTimer();
  try {
    for await (const piece of body ?? []) {
      clearTimeout(timer);
      yield piece;
      timer = startTimer();
    }
  } catch (cause) {
    throw new UnavailableError('The connection ended before the ZIP was complete: try again.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
