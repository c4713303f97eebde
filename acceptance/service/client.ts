import { type Zippable, zipSync } from 'fflate';

/** The members of an answer of the API that these suites use. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  /** The code of a problem; absent in other answers. */
  readonly code?: string;
  readonly pin?: PinJson;
  readonly pins?: readonly PinJson[];
  readonly name?: { readonly pin: string };
}

/** A role in the API. */
export interface PinJson {
  readonly id: string;
  readonly title: string | null;
  readonly state: string;
  readonly shared_url: string;
}

/** A small site, distinguished from others by its text. */
export function siteOf(text: string, more: Zippable = {}): Uint8Array<ArrayBuffer> {
  const page = new TextEncoder().encode(`<!doctype html><title>x</title><p>${text}`);
  return new Uint8Array(zipSync({ 'index.html': page, ...more }, { mtime: new Date(2026, 0, 1) }));
}

/** A client of one server under one API key. */
export class Client {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Publishes a site under an Idempotency-Key. */
  publish(key: string, archive: Uint8Array<ArrayBuffer> = siteOf(key)): Promise<Answer> {
    const body = new FormData();
    body.set('archive', new Blob([archive], { type: 'application/zip' }), 'site.zip');
    return this.#ask('', { method: 'POST', body, headers: { 'idempotency-key': key } });
  }

  read(id: string): Promise<Answer> {
    return this.#ask(`/${id}`);
  }

  patch(id: string, change: Readonly<Record<string, unknown>>): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(`/${id}`, { method: 'PATCH', body: JSON.stringify(change), headers });
  }

  stop(id: string): Promise<Answer> {
    return this.#ask(`/${id}`, { method: 'DELETE' });
  }

  /** Points a name to a publication. */
  point(name: string, pin: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask('', { method: 'PUT', body: JSON.stringify({ pin }), headers }, `names/${name}`);
  }

  /** The publication that a name shows; undefined without the name. */
  async named(name: string): Promise<string | undefined> {
    return (await this.#ask('', {}, `names/${name}`)).name?.pin;
  }

  /** A hundred of the account's roles that are not deleted. */
  page(): Promise<Answer> {
    return this.#ask('?limit=100');
  }

  /** Lists the same roles; throws if the request fails. */
  async list(): Promise<readonly PinJson[]> {
    const { pins, status } = await this.page();
    if (pins === undefined) throw new Error(`the list is answered with ${status}`);
    return pins;
  }

  /** The roles that a key published: one or none. */
  async listByKey(key: string): Promise<readonly PinJson[]> {
    const { pins = [] } = await this.#ask(`?idempotency_key=${encodeURIComponent(key)}`);
    return pins;
  }

  /** The status of a site's page, in path mode. */
  async view(id: string): Promise<number> {
    const answer = await fetch(`${this.#url}/s/${id}/`, { redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  }

  async #ask(path: string, init: RequestInit = {}, of = 'pins'): Promise<Answer> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.#key}` };
    const answer = await fetch(`${this.#url}/api/v1/${of}${path}`, { ...init, headers });
    const text = await answer.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Omit<Answer, 'status' | 'retryAfter'>;
    return { ...body, status: answer.status, retryAfter: answer.headers.get('retry-after') };
  }
}
