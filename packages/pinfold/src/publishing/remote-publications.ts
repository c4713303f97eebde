import type { Pin, PinfoldClient } from '@pinfold/client';
import { type CallOptions, clientOf } from '../api-client/api-call.ts';
import type { Server } from '../api-client/logins.ts';
import { PUBLISH_RETRY_FOR, RetryBudget } from '../api-client/retry-budget.ts';
import { isNotFound, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { bodyPieces } from '../saving/body-pieces.ts';
import type { Publications, PublishRequest } from './publications.ts';
import { catalogueText, noName } from './refusal-text.ts';
import { WatchedFile } from './watched-file.ts';

/** A proxy may have made the tag a weak one. */
const SHA256_TAG = /^(?:W\/)?"([0-9a-f]{64})"$/;

const SITE_TIMEOUT = 2_000;

/** @param budget what all requests share; a request has one of its own when absent. */
export function remotePublications(server: Server, terminal: Terminal, budget?: RetryBudget): Publications {
  const call = async <Result>(
    work: (client: PinfoldClient) => Promise<Result>,
    options: CallOptions = {},
  ): Promise<Result> => {
    const { client, failure } = await clientOf(server, terminal, { ...options, ...(budget && { budget }) });
    try {
      const result = await work(client);
      budget?.succeeded();
      return result;
    } catch (error) {
      throw failure(error);
    }
  };
  async function* each<Item>(list: (client: PinfoldClient) => AsyncIterable<Item>): AsyncGenerator<Item> {
    const { client, failure } = await clientOf(server, terminal);
    try {
      yield* list(client);
    } catch (error) {
      throw failure(error);
    }
  }
  const aboutName = <Result>(work: (client: PinfoldClient) => Promise<Result>): Promise<Result> =>
    call(work).catch((error: unknown) => {
      throw isNotFound(error) ? noName(error) : error;
    });
  return {
    names: {
      list: () => each(({ names }) => names.list()),
      listPage: (query) => call(({ names }) => names.listPage(query)),
      get: (name) => aboutName(async ({ names }) => (await names.get(name)).name),
      set: (name, id) => call(async ({ names }) => (await names.set(name, id)).name),
      delete: (name) => aboutName(({ names }) => names.delete(name)),
    },
    publish: async ({ bytes, ...options }) => {
      // The client throws a TypeError: it is a mistake of its caller. Here it is one of the user.
      if (options.idempotencyKey.includes(server.apiKey))
        throw new UsageError(catalogueText('idempotency_key_secret'));
      const { idempotencyKey: _, ...published } = await call((client) => client.publish(bytes, options), {
        budget: new RetryBudget(PUBLISH_RETRY_FOR),
        fetch: watchedFetch({ bytes, filename: options.filename }, terminal, server.fetch),
      });
      return published;
    },
    check: ({ bytes, filename, title }) =>
      call(async (client) => {
        const { archive, warnings } = await client.check(bytes, { filename, title });
        return { archive, warnings };
      }),
    list: (state) => each((client) => client.list({ state })),
    listPage: (query) => call((client) => client.listPage(query)),
    limits: () => call((client) => client.limits()),
    history: () => each((client) => client.history()),
    publicUrlFor: async (id) => {
      const { pin } = await call((client) => client.get(id));
      return pin.shared_url.replace(/\/s\/[^/]*$/, '');
    },
    siteHostFor: async (id) => {
      const { pin } = await call((client) => client.get(id));
      return siteHostBy(pin);
    },
    get: (id) => call(async (client) => (await client.get(id)).pin),
    getViewed: async (id) => {
      const { pin, views = [] } = await call((client) => client.get(id, { views: true }));
      return { pin, views };
    },
    update: (id, change) => call(async (client) => (await client.update(id, change)).pin),
    stop: (id) => call((client) => client.stop(id)),
    createGrant: (id) => call(async (client) => (await client.createGrant(id)).grant.url),
    archive: async (id) => {
      const stalled = new AbortController();
      const response = await call((client) => client.archive(id, { signal: stalled.signal }));
      const [, sha256] = SHA256_TAG.exec(response.headers.get('etag') ?? '') ?? [];
      return { sha256, pieces: bodyPieces(response, stalled) };
    },
  };
}

/** The host to which the shared URL leads; `undefined` where it asks for a password, or cannot be reached from here. */
async function siteHostBy({ id, shared_url }: Pin): Promise<string | undefined> {
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

/** Sends the archive of a form, and shows how much of it was sent. */
function watchedFetch(
  archive: Pick<PublishRequest, 'bytes' | 'filename'>,
  { progress }: Terminal,
  send: typeof fetch = fetch,
): typeof fetch {
  const sending = (sent: number): void =>
    progress?.(sent < 1 ? `sending, ${Math.floor(sent * 100)} %` : 'checking');
  return (url, init) => {
    if (init?.body instanceof FormData) init.body.set('archive', new WatchedFile(archive, sending));
    return send(url, init);
  };
}
