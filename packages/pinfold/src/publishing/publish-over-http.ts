import { callApi } from '../api-client/api-call.ts';
import type { Server } from '../api-client/server.ts';
import type { Terminal } from '../command-line/terminal.ts';
import type { Published, Wish } from './publication.ts';
import { WatchedFile } from './watched-file.ts';

/** Longer than the lease of a node that died (60 s), and than a database takes to fail over, with a margin. */
const RETRY_FOR = 150_000;

/** Publishes by the API, and shows how much of the archive was sent. */
export async function publishOverHttp(server: Server, wish: Wish, terminal: Terminal): Promise<Published> {
  const { bytes, filename, title, idempotencyKey } = wish;
  const watched: typeof fetch = (url, init) => {
    const sending = (sent: number): void =>
      terminal.progress?.(sent < 1 ? `sending, ${Math.floor(sent * 100)} %` : 'proving');
    if (init?.body instanceof FormData)
      init.body.set('archive', new WatchedFile({ bytes, filename }, sending));
    return fetch(url, init);
  };
  const { pin, warnings, replayed } = await callApi(
    server,
    terminal,
    (client) => client.publish(bytes, { filename, title, idempotencyKey }),
    { retryFor: RETRY_FOR, fetch: watched },
  );
  return { pin, warnings, replayed };
}
