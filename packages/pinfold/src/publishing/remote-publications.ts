import type { Pin, PinfoldClient } from '@pinfold/client';
import { clientOf, failureOf } from '../api-client/api-call.ts';
import type { Server } from '../api-client/logins.ts';
import { PUBLISH_RETRY_FOR, RetryBudget } from '../api-client/retry-budget.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { bodyPieces } from '../saving/body-pieces.ts';
import type { Original } from '../saving/original.ts';
import type { Publications } from './publications.ts';
import { catalogueText } from './refusal-text.ts';

/** A proxy may have made the tag a weak one. */
const SHA256_TAG = /^(?:W\/)?"([0-9a-f]{64})"$/;

const SITE_TIMEOUT = 2_000;

/** @param budget what all requests share; when absent, a publication has one of its own. */
export async function remotePublications(
  server: Server,
  terminal: Terminal,
  budget?: RetryBudget,
): Promise<Publications> {
  const api = await clientOf(server, terminal, budget);
  return {
    api,
    failure: (error) => failureOf(error, server),
    publish: async ({ bytes, ...options }) => {
      // The client throws a TypeError: it is a mistake of its caller. Here it is one of the user.
      if (options.idempotencyKey.includes(server.apiKey))
        throw new UsageError(catalogueText('idempotency_key_secret'));
      const patient = budget ? api : await clientOf(server, terminal, new RetryBudget(PUBLISH_RETRY_FOR));
      const { idempotencyKey: _, ...published } = await patient.publish(bytes, options);
      return published;
    },
  };
}

/** The ZIP of a publication as it was uploaded. */
export async function originalFrom(api: PinfoldClient, id: string): Promise<Original> {
  const stalled = new AbortController();
  const response = await api.archive(id, { signal: stalled.signal });
  const [, sha256] = SHA256_TAG.exec(response.headers.get('etag') ?? '') ?? [];
  return { sha256, pieces: bodyPieces(response, stalled) };
}

/** The host to which the shared URL leads; `undefined` where it asks for a password, or cannot be reached from here. */
export async function siteHostOf({ id, shared_url }: Pin): Promise<string | undefined> {
  const signal = AbortSignal.timeout(SITE_TIMEOUT);
  const request: RequestInit = { method: 'HEAD', redirect: 'manual', signal };
  const location = await fetch(shared_url, request).then(
    ({ headers }) => headers.get('location'),
    () => null,
  );
  if (location === null || !URL.canParse(location)) return undefined;
  const { host, pathname } = new URL(location);
  // A gate before the server may send everybody to its sign-in.
  return `${host}${pathname}`.includes(id) ? host : undefined;
}
