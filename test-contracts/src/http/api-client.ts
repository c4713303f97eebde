import { expect } from 'chai';
import { archivePart, type FormPart, multipart, titlePart } from '../fixtures/multipart.ts';
import { checkAgainstDocument, readDocument } from './api-document.ts';
import { type ApiAnswer, type ApiRequest, exchange, type WirePin } from './api-exchange.ts';
import { siteZip } from './sites.ts';
import type { HttpService, HttpSubject } from './subject.ts';

export interface PublishRequest {
  readonly archive?: Uint8Array;
  readonly filename?: string;
  readonly title?: string;
  /** All parts of the form, instead of those above. */
  readonly parts?: readonly FormPart[];
  /** The Idempotency-Key; a new one when absent, none when null. */
  readonly key?: string | readonly string[] | null;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

let keys = 0;

/** A key that no other publication of this process has. */
function freshKey(): string {
  keys += 1;
  return `key-${process.pid}-${keys}`;
}

/** A client of the API with one API key. It checks every answer against the service's own document. */
export class ApiClient {
  readonly #service: HttpService;
  readonly #key: string | undefined;

  constructor(service: HttpService, key: string | undefined = service.keys.first) {
    this.#service = service;
    this.#key = key;
  }

  async send(fields: ApiRequest): Promise<ApiAnswer> {
    const authorization = this.#key === undefined ? {} : { Authorization: `Bearer ${this.#key}` };
    const request = { ...fields, headers: { ...authorization, ...fields.headers } };
    const answer = await exchange(this.#service.baseUrl, request);
    checkAgainstDocument(await readDocument(this.#service), request, answer);
    return answer;
  }

  get(path: string): Promise<ApiAnswer> {
    return this.send({ path });
  }

  read(id: string): Promise<ApiAnswer> {
    return this.get(`/api/v1/pins/${id}`);
  }

  /** Changes a role by one attribute; text and bytes are sent as they are. */
  update(id: string, change: object | string): Promise<ApiAnswer> {
    return this.sendJson('PATCH', `/api/v1/pins/${id}`, change);
  }

  /** Sends a value as JSON; text and bytes are sent as they are. */
  sendJson(method: string, path: string, value: unknown): Promise<ApiAnswer> {
    const isRaw = typeof value === 'string' || value instanceof Uint8Array;
    const body = isRaw ? value : JSON.stringify(value);
    return this.send({ method, path, headers: { 'Content-Type': 'application/json' }, body });
  }

  stop(id: string): Promise<ApiAnswer> {
    return this.send({ method: 'DELETE', path: `/api/v1/pins/${id}` });
  }

  /** Creates a grant. Sends no body unless one is given. */
  createGrant(id: string, body?: string): Promise<ApiAnswer> {
    return this.send({
      method: 'POST',
      path: `/api/v1/pins/${id}/grants`,
      ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body }),
    });
  }

  publish({ key = freshKey(), query = '', headers = {}, ...fields }: PublishRequest): Promise<ApiAnswer> {
    const form = multipart(fields.parts ?? partsOf(fields));
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

/** Makes a check that receives a client with the first account's key. */
export function withClient(
  check: (client: ApiClient, port: HttpService) => Promise<void>,
): (subject: HttpSubject) => Promise<void> {
  return ({ port }) => check(new ApiClient(port), port);
}

function partsOf({ archive = new Uint8Array(), filename, title }: PublishRequest): readonly FormPart[] {
  return [archivePart(archive, filename), ...(title === undefined ? [] : [titlePart(title)])];
}

export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

export function expectProblem(answer: ApiAnswer, status: number, code: string, what?: string): void {
  expect(`${answer.status} ${answer.body.code}`, what).to.equal(`${status} ${code}`);
}

/** Publishes a site of one page; fails unless that succeeds. */
export async function publishSite(service: HttpService, fields: PublishRequest = {}): Promise<WirePin> {
  const archive = fields.archive ?? siteZip();
  const answer = await new ApiClient(service).publish({ archive, ...fields });
  expect(answer.status, answer.text).to.equal(201);
  return answer.body.pin;
}

/** Reads a role of the first account, which must exist. */
export async function readPin(service: HttpService, id: string): Promise<WirePin> {
  const answer = await new ApiClient(service).read(id);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body.pin;
}

/** All roles of the first account that a list without a state contains. */
export async function listIds(service: HttpService, query = '?limit=100'): Promise<readonly string[]> {
  const answer = await new ApiClient(service).get(`/api/v1/pins${query}`);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body.pins.map(({ id }) => id);
}
