import type { Change, LimitsAnswer, Name, PageQuery, Pin, PinfoldClient, PinList } from '@pinfold/client';
import type { RoleState } from '@pinfold/core';
import { callApi, clientOf } from '../api-client/api-call.ts';
import type { Server } from '../api-client/server.ts';
import { isNotFound, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import type { Checked, Published, PublishRequest } from './publication.ts';
import type { Names, Publications } from './publications.ts';
import { noName } from './refusal-words.ts';
import { WatchedFile } from './watched-file.ts';

/** Longer than the lease of a node that died (60 s) and than the failover of a database, with a margin. */
const PUBLISH_RETRY_FOR = 150_000;

/** The names of a key's account, by the API of a server. */
class RemoteNames implements Names {
  readonly #server: Server;
  readonly #terminal: Terminal;

  constructor(server: Server, terminal: Terminal) {
    this.#server = server;
    this.#terminal = terminal;
  }

  async *list(): AsyncGenerator<Name> {
    const { client, failure } = await clientOf(this.#server, this.#terminal);
    try {
      yield* client.names.list();
    } catch (error) {
      throw failure(error);
    }
  }

  get(name: string): Promise<Name> {
    return this.#aboutName(async ({ names }) => (await names.get(name)).name);
  }

  set(name: string, id: string): Promise<Name> {
    return callApi(this.#server, this.#terminal, async ({ names }) => (await names.set(name, id)).name);
  }

  delete(name: string): Promise<void> {
    return this.#aboutName(async ({ names }) => void (await names.delete(name)));
  }

  async #aboutName<Result>(call: (client: PinfoldClient) => Promise<Result>): Promise<Result> {
    try {
      return await callApi(this.#server, this.#terminal, call);
    } catch (error) {
      throw isNotFound(error) ? noName(error) : error;
    }
  }
}

/** The publications of a key's account, by the API of a server. */
export class RemotePublications implements Publications {
  readonly names: Names;
  readonly #server: Server;
  readonly #terminal: Terminal;

  constructor(server: Server, terminal: Terminal) {
    this.names = new RemoteNames(server, terminal);
    this.#server = server;
    this.#terminal = terminal;
  }

  async publish({ bytes, ...options }: PublishRequest): Promise<Published> {
    // The client throws a TypeError: it is a mistake of its caller. Here it is one of the user.
    if (options.idempotencyKey.includes(this.#server.apiKey))
      throw new UsageError('the Idempotency-Key must not contain the API key');
    const progress = (sent: number): void =>
      this.#terminal.progress?.(sent < 1 ? `sending, ${Math.floor(sent * 100)} %` : 'checking');
    const watched: typeof fetch = (url, init) => {
      if (init?.body instanceof FormData)
        init.body.set('archive', new WatchedFile({ bytes, filename: options.filename }, progress));
      return fetch(url, init);
    };
    return callApi(
      this.#server,
      this.#terminal,
      async (client) => {
        const { idempotencyKey: _, ...published } = await client.publish(bytes, options);
        return published;
      },
      { retryFor: PUBLISH_RETRY_FOR, fetch: watched },
    );
  }

  check({ bytes, filename, title }: PublishRequest): Promise<Checked> {
    return callApi(this.#server, this.#terminal, async (client) => {
      const { archive, warnings } = await client.check(bytes, { filename, title });
      return { archive, warnings };
    });
  }

  async *list(state: RoleState | undefined): AsyncGenerator<Pin> {
    const { client, failure } = await clientOf(this.#server, this.#terminal);
    try {
      yield* client.list({ state });
    } catch (error) {
      throw failure(error);
    }
  }

  listPage(query: PageQuery): Promise<PinList> {
    return callApi(this.#server, this.#terminal, (client) => client.listPage(query));
  }

  limits(): Promise<LimitsAnswer> {
    return callApi(this.#server, this.#terminal, (client) => client.limits());
  }

  get(id: string): Promise<Pin> {
    return callApi(this.#server, this.#terminal, async (client) => (await client.get(id)).pin);
  }

  update(id: string, change: Change): Promise<Pin> {
    return callApi(this.#server, this.#terminal, async (client) => (await client.update(id, change)).pin);
  }

  stop(id: string): Promise<void> {
    return callApi(this.#server, this.#terminal, async (client) => void (await client.stop(id)));
  }

  createGrant(id: string): Promise<string> {
    return callApi(this.#server, this.#terminal, async (client) => (await client.createGrant(id)).grant.url);
  }
}
