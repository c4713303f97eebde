import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { ThreeNodes } from './three-nodes.ts';

/** An answer that came through a proxy. */
interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How long it takes to send the body, in milliseconds. */
  readonly sending?: number;
}

const PATIENCE = 60_000;
const PASSWORD = 'a password for the bench';

/** People who view and publish through a proxy at a port of this machine. What they do answers what went wrong. */
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

  /** Publishes, with an upload that takes so many milliseconds. */
  publish(archive: Uint8Array<ArrayBuffer>, sending: number = 0): Promise<string | undefined> {
    const wrong = ({ status }: Answer) => (status === 201 ? undefined : `publication ${status}`);
    return this.#publish(archive, wrong, sending);
  }

  /** Publishes, and answers the id. */
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
    const question = { method: 'POST', headers, body, sending };
    return await this.#ask(this.#publicHost, '/api/v1/pins', question, wrong);
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
      signal: AbortSignal.timeout(PATIENCE),
    };
    return new Promise((resolve) => {
      const failed = (error: Error) => resolve(`${method} ${error.message}`);
      const asked = request(options, (answer) => {
        bodyOf(answer).then((read) => resolve(wrong({ status: answer.statusCode ?? 0, body: read })), failed);
      }).once('error', failed);
      if (sending === 0) asked.end(body);
      else {
        asked.write(body.slice(0, body.length / 2));
        setTimeout(() => asked.end(body.slice(body.length / 2)), sending);
      }
    });
  }
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const read = await buffer(answer);
  return String(answer.headers['content-encoding'] === 'gzip' ? gunzipSync(read) : read);
}
