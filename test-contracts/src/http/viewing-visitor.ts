import type { OutgoingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { ApiClient, publishSite } from './api-client.ts';
import type { WirePin } from './api-exchange.ts';
import { type Answer, sendRequest } from './send-request.ts';
import { zipOf } from './sites.ts';
import type { HttpService } from './subject.ts';

export interface ViewAnswer extends Answer {
  readonly url: string;
}

export interface ViewRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** The headers that a browser sends when a person opens an address. */
export const NAVIGATION: Readonly<Record<string, string>> = {
  Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
};

export const PART: Readonly<Record<string, string>> = { Accept: '*/*', 'Sec-Fetch-Dest': 'script' };

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const MAX_REDIRECTS = 10;

interface Cookie {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

/**
 * A viewer with a cookie jar. The hosts of sites need no DNS: every request is sent to the address of the service,
 * and names the site in its Host header.
 */
export class Visitor {
  readonly #service: HttpService;
  #jar: readonly Cookie[] = [];

  constructor(service: HttpService) {
    this.#service = service;
  }

  /** A visitor of another node with the same jar. */
  onNode(service: HttpService): Visitor {
    const other = new Visitor(service);
    other.#jar = this.#jar;
    return other;
  }

  /** Sends one request and follows no redirect. */
  async ask(url: string, { method = 'GET', headers = {}, body }: ViewRequest = {}): Promise<ViewAnswer> {
    const { host, pathname, search } = new URL(url);
    const cookie = this.#cookiesFor(host, pathname);
    const answer = await sendRequest(this.#service.baseUrl, {
      method,
      path: pathname + search,
      headers: { Host: host, ...(cookie === '' ? {} : { Cookie: cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of answer.headers['set-cookie'] ?? []) this.#keep(host, line);
    return { url, ...answer };
  }

  /** Opens an address as a browser does, and follows redirects. */
  async open(url: string, fields: ViewRequest = {}): Promise<ViewAnswer> {
    let answer = await this.ask(url, { ...fields, headers: { ...NAVIGATION, ...fields.headers } });
    for (let step = 0; step < MAX_REDIRECTS; step += 1) {
      const { location } = answer.headers;
      if (location === undefined || answer.status < 300 || answer.status > 399) break;
      answer = await this.ask(location, { headers: { ...NAVIGATION } });
    }
    return answer;
  }

  enter(url: string, password: string, fields: ViewRequest = {}): Promise<ViewAnswer> {
    const body = new URLSearchParams({ password }).toString();
    return this.ask(url, { method: 'POST', body, ...fields, headers: { ...FORM, ...fields.headers } });
  }

  /** Requests a part of a page, by its address relative to the page. */
  part(page: ViewAnswer, path: string, fields: ViewRequest = {}): Promise<ViewAnswer> {
    const url = new URL(path, page.url).href;
    return this.ask(url, { ...fields, headers: { ...PART, ...fields.headers } });
  }

  #cookiesFor(host: string, path: string): string {
    const fitting = this.#jar.filter((cookie) => cookie.host === host && isBelow(path, cookie.path));
    return fitting.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  #keep(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split('=', 2);
    const attribute = (wanted: string): string | undefined =>
      attributes.find((text) => text.startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute('Path') ?? '/';
    const others = this.#jar.filter(
      (known) => known.host !== host || known.name !== name || known.path !== path,
    );
    const isDeleted = attribute('Max-Age') === '0';
    this.#jar = isDeleted ? others : [...others, { host, path, name, value }];
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

export const PASSWORD = 'harbour lights';

export const HOME = '<!doctype html><title>Harbour</title><p>The light over the harbour is lit at dusk.';

export const SITE: Readonly<Record<string, string | Uint8Array>> = {
  'index.html': HOME,
  'about.html': '<p>About',
  'docs/index.html': '<p>Docs',
  'app.js': 'run()',
};

export async function publishToView(
  service: HttpService,
  files: Readonly<Record<string, string | Uint8Array>> = SITE,
  password?: string,
): Promise<WirePin> {
  const pin = await publishSite(service, { archive: zipOf(files), title: 'Keepers only' });
  if (password !== undefined) await change(service, pin.id, { password });
  return pin;
}

export async function change(service: HttpService, id: string, update: object): Promise<void> {
  const answer = await new ApiClient(service).update(id, update);
  expect(answer.status, answer.text).to.equal(200);
}

export async function stop(service: HttpService, id: string): Promise<void> {
  const answer = await new ApiClient(service).stop(id);
  expect(answer.status, answer.text).to.equal(204);
}

/** Opens a site's first page, and submits the password where the site has one. */
export async function openPage(visitor: Visitor, pin: WirePin): Promise<ViewAnswer> {
  const first = await visitor.open(pin.shared_url);
  if (first.url !== pin.shared_url) return first;
  const entered = await visitor.enter(pin.shared_url, PASSWORD);
  expect(entered.status, 'the right password').to.equal(303);
  return visitor.open(String(entered.headers.location));
}

export async function openNewSite(
  service: HttpService,
  files: Readonly<Record<string, string | Uint8Array>> = SITE,
  password?: string,
): Promise<{ readonly pin: WirePin; readonly visitor: Visitor; readonly page: ViewAnswer }> {
  const pin = await publishToView(service, files, password);
  const visitor = new Visitor(service);
  const page = await openPage(visitor, pin);
  expect(page.status, 'the first page').to.equal(200);
  return { pin, visitor, page };
}

/** Fails unless the answer reveals nothing of a file: no byte, no length, no validator. */
export function expectNothingOfFile(answer: ViewAnswer, file: string | Uint8Array = HOME): void {
  const known = Buffer.from(file);
  expect(answer.bytes.includes(known), 'bytes of the file').to.equal(false);
  expect(answer.headers['content-length']).not.to.equal(String(known.length));
  expect(answer.headers).not.to.have.any.keys('etag', 'last-modified', 'accept-ranges', 'content-range');
}
