import { expect } from 'chai';
import { ApiClient } from './api-client.ts';
import type { WirePin } from './api-exchange.ts';
import { publishSite } from './api-expectations.ts';
import { zipOf } from './sites.ts';
import type { HttpService } from './subject.ts';
import { type ViewAnswer, Visitor } from './viewing-visitor.ts';

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
