import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type BegunSignIn, type IdentityProvider, instant } from '@pinfold/core';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { closed, listening } from 'pinfold-test-servers/service';
import { openIdConnect } from '../src/index.ts';

/** A request to the provider's token endpoint that has no answer yet. */
export interface TokenRequest {
  readonly code: string | null;
  readonly isClosed: Promise<unknown>;
  /** Answers with these bytes; by default refuses the code. */
  answer(body?: string | Buffer): void;
}

/** An identity provider that answers its token endpoint only when a test says so, and a client of it. */
export class SlowProvider {
  readonly clock: ManualClock = createManualClock(instant(Date.now()));
  readonly client: IdentityProvider;
  /** Every request that came, by its path. */
  readonly asked: string[] = [];
  /** The requests to the token endpoint, in order. */
  readonly tokens: TokenRequest[] = [];
  /** Replaces the discovery document. */
  document: string | undefined;
  readonly #came: EventEmitter = new EventEmitter();
  readonly #server: Awaited<ReturnType<typeof listening>>;
  readonly #url: string;

  static async open(): Promise<SlowProvider> {
    return new SlowProvider(await listening());
  }

  private constructor(server: Awaited<ReturnType<typeof listening>>) {
    this.#server = server;
    this.#url = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => this.#take(request, response));
    this.client = openIdConnect({
      issuer: this.#url,
      clientId: 'pinfold',
      clientSecret: 'a secret that only this test knows',
      clock: this.clock,
    });
  }

  /** Begins a sign-in; the function brings its browser back, from an address, with a code. */
  async begin(): Promise<(client: string, code?: string, signal?: AbortSignal) => Finished> {
    const begun = await this.client.begin('https://pages.example/manage/sign-in/oidc');
    if (begun.kind !== 'begun') throw new Error(begun.detail);
    return (client, code = 'a', signal = new AbortController().signal) =>
      this.client.finish(cameBack(begun, code), begun.kept, { client, signal });
  }

  /** Waits until so many requests have come to the token endpoint in all. */
  async untilTokens(count: number): Promise<void> {
    while (this.tokens.length < count) await once(this.#came, 'token');
  }

  async close(): Promise<void> {
    await closed(this.#server);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.asked.push(path);
    const isClosed = once(response, 'close');
    const answer = (status: number, body: string | Buffer) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    if (path !== '/token') {
      answer(200, this.document ?? JSON.stringify(metadata(this.#url)));
      return;
    }
    const body = await text(request);
    this.tokens.push({
      code: new URLSearchParams(body).get('code'),
      isClosed,
      answer: (sent) => answer(sent === undefined ? 400 : 200, sent ?? '{"error":"invalid_grant"}'),
    });
    this.#came.emit('token');
  }
}

type Finished = ReturnType<IdentityProvider['finish']>;

/** Expects that a return of a browser ended in a problem. */
export async function expectProblem(finished: Finished, problem: string): Promise<void> {
  const outcome = await finished;
  expect(outcome.kind === 'trouble' && outcome.problem).to.equal(problem);
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

function cameBack({ url }: BegunSignIn, code: string): string {
  const state = new URL(url).searchParams.get('state') ?? '';
  return `https://pages.example/manage/sign-in/oidc?${new URLSearchParams({ code, state })}`;
}
