import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { Agent, type RequestOptions, request } from 'node:https';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { ThreeNodes } from './three-nodes.ts';

/** An answer that came through a proxy. */
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How long it takes to send the body, in milliseconds. */
  readonly sending?: number;
}

const MAX_WAIT = 60_000;
/** During an outage, an answer that reports it arrives within this time. */
const SOON = 1_000;
const PASSWORD = 'a password for the bench';

/** Clients that view and publish through a proxy at a port of this machine. Each method returns the failure, if any. */
export class ThroughProxy {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });
  readonly #port: number;
  readonly #service: ThreeNodes;
  readonly #publicHost: string;

  constructor(port: number, service: ThreeNodes) {
    this.#port = port;
    this.#service = service;
    this.#publicHost = new URL(service.publicUrl).host;
  }

  /** Views the page of a site, whose bytes are known. */
  view(id: string, page: string): Promise<string | undefined> {
    const wrong = ({ status, body }: Answer) =>
      status === 200 && body === page ? undefined : `view ${status}`;
    const headers = { 'accept-encoding': 'gzip' };
    return this.#ask(`${id}.${this.#service.sitesHost}`, '/', { headers }, wrong);
  }

  /** Publishes, with an upload that takes a number of milliseconds. */
  publish(archive: Uint8Array<ArrayBuffer>, sending: number = 0): Promise<string | undefined> {
    const wrong = ({ status }: Answer) => (status === 201 ? undefined : `publication ${status}`);
    return this.#publish(archive, wrong, sending);
  }

  /** Publishes, and returns the id. */
  async published(archive: Uint8Array<ArrayBuffer>): Promise<string> {
    let id = '';
    const failure = await this.#publish(archive, ({ status, body }) => {
      if (status !== 201) return `publication ${status} ${body}`;
      id = JSON.parse(body).pin.id;
      return undefined;
    });
    if (failure !== undefined) throw new Error(failure);
    return id;
  }

  /** Views during an outage: any answer but the site's page must be a page that says when to try again. */
  async viewMeanwhile(id: string, page: string): Promise<string | undefined> {
    const wrong = (answer: Answer) =>
      answer.status === 200 && answer.body === page ? undefined : unhelpful('view', answer);
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
    return await within(() => this.#ask(`${id}.${this.#service.sitesHost}`, '/', { headers }, wrong));
  }

  /** Publishes during an outage, over HTTP/1.1. */
  async publishMeanwhile(archive: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
    const wrong = (answer: Answer) => (answer.status === 201 ? undefined : unhelpful('publication', answer));
    return await within(() => this.#publish(archive, wrong));
  }

  /** The same over HTTP/2, in which a single stream can be reset. */
  async publishByHttp2Meanwhile(archive: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
    const { headers, body } = await this.#form(archive);
    const session = connect(`https://127.0.0.1:${this.#port}`, {
      servername: this.#publicHost,
      rejectUnauthorized: false,
    });
    return await within(
      () =>
        new Promise((resolve) => {
          const failed = (error: Error): void => resolve(`publication over HTTP/2: ${error.message}`);
          session.once('error', failed);
          const path = { ':method': 'POST', ':path': '/api/v1/pins', ':authority': this.#publicHost };
          const stream = session.request({ ...path, ...headers }).once('error', failed);
          stream.once('response', ({ ':status': status = 0, 'retry-after': after }) => {
            text(stream).then((read) => {
              const retryAfter = after === undefined ? undefined : String(after);
              resolve(
                status === 201 ? undefined : unhelpful('publication', { status, body: read, retryAfter }),
              );
            }, failed);
          });
          stream.end(body);
        }),
    ).finally(() => session.destroy());
  }

  rename(id: string): Promise<string | undefined> {
    return this.#patch(id, { title: randomUUID() });
  }

  protect(id: string): Promise<string | undefined> {
    return this.#patch(id, { password: PASSWORD });
  }

  /** Enters the right password. */
  enter(id: string): Promise<string | undefined> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const question = { method: 'POST', headers, body: String(new URLSearchParams({ password: PASSWORD })) };
    const wrong = ({ status }: Answer) => (status === 303 ? undefined : `password ${status}`);
    return this.#ask(this.#publicHost, `/s/${id}`, question, wrong);
  }

  close(): void {
    this.#agent.destroy();
  }

  #patch(id: string, body: object): Promise<string | undefined> {
    const headers = { authorization: this.#service.authorization, 'content-type': 'application/json' };
    const question = { method: 'PATCH', headers, body: JSON.stringify(body) };
    const wrong = ({ status }: Answer) => (status === 200 ? undefined : `change ${status}`);
    return this.#ask(this.#publicHost, `/api/v1/pins/${id}`, question, wrong);
  }

  async #publish(
    archive: Uint8Array<ArrayBuffer>,
    wrong: (answer: Answer) => string | undefined,
    sending: number = 0,
  ): Promise<string | undefined> {
    const question = { method: 'POST', ...(await this.#form(archive)), sending };
    return await this.#ask(this.#publicHost, '/api/v1/pins', question, wrong);
  }

  async #form(archive: Uint8Array<ArrayBuffer>) {
    const form = new FormData();
    form.set('archive', new Blob([archive], { type: 'application/zip' }), 'site.zip');
    const encoded = new Response(form);
    const body = new Uint8Array(await encoded.arrayBuffer());
    const headers = {
      authorization: this.#service.authorization,
      'idempotency-key': randomUUID(),
      'content-type': encoded.headers.get('content-type') ?? '',
      'content-length': String(body.length),
    };
    return { headers, body };
  }

  #ask(
    host: string,
    path: string,
    { method = 'GET', headers = {}, body = '', sending = 0 }: Question,
    wrong: (answer: Answer) => string | undefined,
  ): Promise<string | undefined> {
    const options: RequestOptions = {
      host: '127.0.0.1',
      port: this.#port,
      servername: host,
      method,
      path,
      headers: { ...headers, host },
      agent: this.#agent,
      signal: AbortSignal.timeout(MAX_WAIT),
    };
    return new Promise((resolve) => {
      const failed = (error: Error) => resolve(`${method} ${error.message}`);
      const outgoing = request(options, (answer) => {
        const { statusCode: status = 0, headers } = answer;
        bodyOf(answer).then(
          (body) => resolve(wrong({ status, body, retryAfter: headers['retry-after'] })),
          failed,
        );
      }).once('error', failed);
      if (sending === 0) outgoing.end(body);
      else {
        outgoing.write(body.slice(0, body.length / 2));
        setTimeout(() => outgoing.end(body.slice(body.length / 2)), sending);
      }
    });
  }
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const read = await buffer(answer);
  return String(answer.headers['content-encoding'] === 'gzip' ? gunzipSync(read) : read);
}

/** The fault of an answer that must be a 503 with a body and `Retry-After`; `undefined` if it has none. */
function unhelpful(what: string, { status, body, retryAfter }: Answer): string | undefined {
  if (status !== 503) return `${what} ${status}`;
  if (body === '') return `${what}: an empty 503`;
  return retryAfter === undefined ? `${what}: a 503 without Retry-After` : undefined;
}

async function within(ask: () => Promise<string | undefined>): Promise<string | undefined> {
  const began = performance.now();
  const wrong = await ask();
  return wrong ?? (performance.now() - began > SOON ? 'an answer after more than a second' : undefined);
}
