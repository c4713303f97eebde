import { type IncomingHttpHeaders, request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { archivePart, type FormPart, multipart, titlePart } from '../fixtures/multipart.ts';
import { checkAgainstDocument, readDocument } from './api-document.ts';
import type { HttpService } from './subject.ts';

/** The JSON of a role. */
export interface WirePin {
  readonly id: string;
  readonly title: string | null;
  readonly state: string;
  readonly shared_url: string;
  readonly password_protected: boolean;
  readonly pinned: boolean;
  readonly published_at: string;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  readonly file_count: number;
  readonly size: number;
  readonly original_filename: string;
}

/** Everything an answer's JSON may have. */
export interface WireBody {
  readonly pin: WirePin;
  readonly pins: readonly WirePin[];
  readonly next_cursor: string | null;
  readonly warnings: readonly { readonly rule: string; readonly detail: string; readonly path?: string }[];
  readonly archive: { readonly file_count: number; readonly size: number };
  readonly limits: Readonly<Record<string, number>>;
  readonly code: string;
  readonly status: number;
  readonly instance: string;
  readonly retryable: boolean;
  readonly suggestion: string;
  readonly detail: string;
  readonly errors: readonly { readonly rule: string; readonly path?: string }[];
  readonly errors_omitted: number;
}

/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON; members that the answer does not have are undefined whatever their type says. */
  readonly body: WireBody;
}

/** A request to the API. */
export interface ApiRequest {
  readonly method?: string;
  /** From the public URL on, with its query. */
  readonly path: string;
  /** Several values of a name are sent as so many headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/** A publication as a client sends it. */
export interface PublishWish {
  readonly archive?: Uint8Array;
  readonly filename?: string;
  readonly title?: string;
  /** All parts of the form, in place of those above. */
  readonly parts?: readonly FormPart[];
  /** The Idempotency-Key; a new one when absent, none when null. */
  readonly key?: string | readonly string[] | null;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let keys = 0;

/** A key that no other publication of this process has. */
export function freshKey(): string {
  keys += 1;
  return `key-${process.pid}-${keys}`;
}

/** A client of the API with one API key. Every answer it gets is checked against the service's own document. */
export class ApiClient {
  readonly #service: HttpService;
  readonly #key: string | undefined;

  constructor(service: HttpService, key: string | undefined = service.keys.first) {
    this.#service = service;
    this.#key = key;
  }

  /** Sends a request with the API key. */
  async send(wish: ApiRequest): Promise<ApiAnswer> {
    const authorization = this.#key === undefined ? {} : { Authorization: `Bearer ${this.#key}` };
    const request = { ...wish, headers: { ...authorization, ...wish.headers } };
    const answer = await exchange(this.#service.baseUrl, request);
    checkAgainstDocument(await readDocument(this.#service), request, answer);
    return answer;
  }

  get(path: string): Promise<ApiAnswer> {
    return this.send({ path });
  }

  /** Reads a role. */
  read(id: string): Promise<ApiAnswer> {
    return this.get(`/api/v1/pins/${id}`);
  }

  /** Changes a role by one attribute; a string is sent as it is. */
  update(id: string, change: object | string): Promise<ApiAnswer> {
    return this.send({
      method: 'PATCH',
      path: `/api/v1/pins/${id}`,
      headers: { 'Content-Type': 'application/json' },
      body: typeof change === 'string' ? change : JSON.stringify(change),
    });
  }

  /** Stops a role. */
  stop(id: string): Promise<ApiAnswer> {
    return this.send({ method: 'DELETE', path: `/api/v1/pins/${id}` });
  }

  /** Publishes an archive. */
  publish({ key = freshKey(), query = '', headers = {}, ...wish }: PublishWish): Promise<ApiAnswer> {
    const form = multipart(wish.parts ?? partsOf(wish));
    return this.send({
      method: 'POST',
      path: `/api/v1/pins${query}`,
      headers: {
        'Content-Type': form.contentType,
        ...(key === null ? {} : { 'Idempotency-Key': key }),
        ...headers,
      },
      body: form.body,
    });
  }
}

function partsOf({ archive = new Uint8Array(), filename, title }: PublishWish): readonly FormPart[] {
  return [archivePart(archive, filename), ...(title === undefined ? [] : [titlePart(title)])];
}

/** Sends one request on a connection of its own and reads its answer, which may come before the body is out. */
export function exchange(
  baseUrl: string,
  { method = 'GET', path, headers, body }: ApiRequest,
): Promise<ApiAnswer> {
  const url = new URL(`${baseUrl}${path}`);
  const send = url.protocol === 'https:' ? sendHttps : sendHttp;
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const request = send(url, { method, agent: false, headers: { ...length, ...(headers as object) } });
  // An error after the answer changes nothing: the promise is settled by then.
  request.once('error', reject).once('response', (response) => {
    buffer(response).then((bytes) => {
      const text = bytes.toString('utf8');
      const status = response.statusCode ?? 0;
      resolve({ status, headers: response.headers, text, body: jsonOf(response.headers, text) });
    }, reject);
  });
  request.on('error', () => undefined);
  request.end(body);
  return promise;
}

function jsonOf(headers: IncomingHttpHeaders, text: string): WireBody {
  const isJson = text !== '' && /^application\/(?:problem\+)?json\b/.test(headers['content-type'] ?? '');
  return (isJson ? JSON.parse(text) : {}) as WireBody;
}
