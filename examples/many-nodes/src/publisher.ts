import { strToU8, zipSync } from 'fflate';
import { type Answer, ask } from './ask.ts';

/** A publication, as the API tells of it. */
export interface Pin {
  readonly id: string;
  readonly title: string | null;
  readonly shared_url: string;
}

/** Somebody who publishes by the API, with one key. */
export class Publisher {
  readonly #publicUrl: string;
  readonly #key: string;
  readonly #signal: AbortSignal;

  constructor(publicUrl: string, key: string, signal: AbortSignal) {
    this.#publicUrl = publicUrl;
    this.#key = key;
    this.#signal = signal;
  }

  /** Publishes a page. The same key with the same words is the same request. */
  async publish(port: number, idempotencyKey: string, words: string): Promise<Answer> {
    const page = `<!doctype html><html lang="en"><title>${words}</title><p>${words}`;
    const archive = zipSync({ 'index.html': strToU8(page) }, { mtime: new Date(2026, 0, 1) });
    const form = new FormData();
    form.set('archive', new Blob([new Uint8Array(archive)], { type: 'application/zip' }), 'site.zip');
    form.set('title', words);
    const encoded = new Response(form);
    const headers = {
      'content-type': encoded.headers.get('content-type') ?? '',
      'idempotency-key': idempotencyKey,
    };
    return this.#ask(port, 'POST', '/api/v1/pins', headers, new Uint8Array(await encoded.arrayBuffer()));
  }

  setPassword(port: number, id: string, password: string): Promise<Answer> {
    const body = new TextEncoder().encode(JSON.stringify({ password }));
    return this.#ask(port, 'PATCH', `/api/v1/pins/${id}`, { 'content-type': 'application/json' }, body);
  }

  stop(port: number, id: string): Promise<Answer> {
    return this.#ask(port, 'DELETE', `/api/v1/pins/${id}`);
  }

  /** All publications that were not stopped. */
  async list(port: number): Promise<readonly Pin[]> {
    const { body } = await this.#ask(port, 'GET', '/api/v1/pins');
    return (JSON.parse(body) as { readonly pins: readonly Pin[] }).pins;
  }

  #ask(
    port: number,
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Uint8Array,
  ): Promise<Answer> {
    const authorized = { authorization: `Bearer ${this.#key}`, ...headers };
    const question = { method, headers: authorized, signal: this.#signal };
    return ask(port, this.#publicUrl + path, body === undefined ? question : { ...question, body });
  }
}

/** The publication that an answer tells of. */
export function pinOf({ body }: Answer): Pin {
  return (JSON.parse(body) as { readonly pin: Pin }).pin;
}
