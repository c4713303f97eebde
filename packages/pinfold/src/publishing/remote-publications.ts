import type { Change, LimitsAnswer, PageQuery, Pin, PinfoldClient, PinList } from '@pinfold/client';
import type { RoleState } from '@pinfold/core';
import { callApi, clientOf } from '../api-client/api-call.ts';
import type { Server } from '../api-client/server.ts';
import { isNotFound, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import type { Checked, Published, PublishRequest } from './publication.ts';
import type { Names, Publications } from './publications.ts';
import { noName } from './refusal-text.ts';
import { WatchedFile } from './watched-file.ts';

/** Longer than the lease of a node that died (60 s) and than the failover of a database, with a margin. */
const PUBLISH_RETRY_FOR = 150_000;

/** The publications of a key's account, by the API of a server. */
export class RemotePublications implements Publications {
  readonly names: Names = {
    list: () => this.#list(({ names }) => names.list()),
    get: (name) => this.#aboutName(async ({ names }) => (await names.get(name)).name),
    set: (name, id) => this.#call(async ({ names }) => (await names.set(name, id)).name),
    delete: (name) => this.#aboutName(async ({ names }) => void (await names.delete(name))),
  };
  readonly #server: Server;
  readonly #terminal: Terminal;

  constructor(server: Server, terminal: Terminal) {
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
    const publish = async (client: PinfoldClient): Promise<Published> => {
      const { idempotencyKey: _, ...published } = await client.publish(bytes, options);
      return published;
    };
    return this.#call(publish, { retryFor: PUBLISH_RETRY_FOR, fetch: watched });
  }

  check({ bytes, filename, title }: PublishRequest): Promise<Checked> {
    return this.#call(async (client) => {
      const { archive, warnings } = await client.check(bytes, { filename, title });
      return { archive, warnings };
    });
  }

  list(state: RoleState | undefined): AsyncIterable<Pin> {
    return this.#list((client) => client.list({ state }));
  }

  listPage(query: PageQuery): Promise<PinList> {
    return this.#call((client) => client.listPage(query));
  }

  limits(): Promise<LimitsAnswer> {
    return this.#call((client) => client.limits());
  }

  get(id: string): Promise<Pin> {
    return this.#call(async (client) => (await client.get(id)).pin);
  }

  update(id: string, change: Change): Promise<Pin> {
    return this.#call(async (client) => (await client.update(id, change)).pin);
  }

  stop(id: string): Promise<void> {
    return this.#call(async (client) => void (await client.stop(id)));
  }

  createGrant(id: string): Promise<string> {
    return this.#call(async (client) => (await client.createGrant(id)).grant.url);
  }

  #call<Result>(
    call: (client: PinfoldClient) => Promise<Result>,
    options?: Parameters<typeof callApi>[3],
  ): Promise<Result> {
    return callApi(this.#server, this.#terminal, call, options);
  }

  async *#list<Item>(list: (client: PinfoldClient) => AsyncIterable<Item>): AsyncGenerator<Item> {
    const { client, failure } = await clientOf(this.#server, this.#terminal);
    try {
      yield* list(client);
    } catch (error) {
      throw failure(error);
    }
  }

  async #aboutName<Result>(call: (client: PinfoldClient) => Promise<Result>): Promise<Result> {
    try {
      return await this.#call(call);
    } catch (error) {
      throw isNotFound(error) ? noName(error) : error;
    }
  }
}
