import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { closed, listening } from './service.ts';

/** A request to the token endpoint that has no answer yet. */
export interface TokenRequest {
  readonly code: string | null;
  /** Resolves when it is answered, or its client has left. */
  readonly isClosed: Promise<unknown>;
  /** Answers with this body; by default refuses the code. */
  answer(body?: string | Buffer): void;
}

/** An issuer of OpenID Connect that answers token requests only when the test says so. */
export class SlowIssuer {
  readonly url: string;
  readonly requests: string[] = [];
  readonly tokens: TokenRequest[] = [];
  /** How many requests are open, and the maximum so far. */
  open: { readonly now: number; readonly max: number } = { now: 0, max: 0 };
  document: string | undefined;
  readonly #server: Server;
  readonly #arrivals: EventEmitter = new EventEmitter();

  static async listen(): Promise<SlowIssuer> {
    return new SlowIssuer(await listening());
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => this.#take(request, response));
  }

  /** Waits until the token endpoint has received so many requests in total. */
  async untilTokens(count: number): Promise<void> {
    while (this.tokens.length < count) await once(this.#arrivals, 'token');
  }

  async close(): Promise<void> {
    await closed(this.#server);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.requests.push(path);
    const answer = (status: number, body: string | Buffer): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    if (path === '/token') await this.#keepOpen(request, response, answer);
    else answer(200, this.document ?? JSON.stringify(metadataOf(this.url)));
  }

  async #keepOpen(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (status: number, body: string | Buffer) => void,
  ): Promise<void> {
    const now = this.open.now + 1;
    this.open = { now, max: Math.max(now, this.open.max) };
    const isClosed = once(response, 'close').then(() => {
      this.open = { ...this.open, now: this.open.now - 1 };
    });
    const code = new URLSearchParams(await text(request)).get('code');
    this.tokens.push({
      code,
      isClosed,
      answer: (body) => answer(body === undefined ? 400 : 200, body ?? '{"error":"invalid_grant"}'),
    });
    this.#arrivals.emit('token');
  }
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}
