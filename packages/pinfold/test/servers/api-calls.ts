import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { openRawConnection, type RawAnswer } from '@pinfold/test-contracts/internal';
import { strToU8, type Zippable, zipSync } from 'fflate';

/** A small site, distinguished from others by its text. */
export function site(text: string): Uint8Array<ArrayBuffer> {
  const files: Zippable = { 'index.html': strToU8(`<!doctype html><title>x</title><p>${text}`) };
  return new Uint8Array(zipSync(files, { mtime: new Date(2026, 0, 1) }));
}

/** Sends a publication like any client. */
export function publish(
  url: string,
  apiKey: string,
  idempotencyKey: string,
  archive: Uint8Array<ArrayBuffer> = site(idempotencyKey),
): Promise<Response> {
  const body = new FormData();
  body.set('archive', new Blob([archive], { type: 'application/zip' }), 'site.zip');
  const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': idempotencyKey };
  return fetch(`${url}/api/v1/pins`, { method: 'POST', body, headers });
}

/** Publishes, and returns the new publication. */
export async function publishPin(...inputs: Parameters<typeof publish>): Promise<PinJson> {
  const answer = await publish(...inputs);
  if (answer.status !== 201) throw new Error(`a publication is answered with ${answer.status}`);
  return ((await answer.json()) as { readonly pin: PinJson }).pin;
}

/** Calls the API with a key, and with a JSON body if there is one. */
export function callApi(
  url: string,
  apiKey: string,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

/** The members of a role in the API that these tests use. */
export interface PinJson {
  readonly id: string;
  readonly title: string | null;
  readonly state: string;
  readonly shared_url: string;
}

/** The account's roles that are not deleted. */
export async function list(url: string, apiKey: string): Promise<readonly PinJson[]> {
  const answer = await callApi(url, apiKey, 'GET', '/api/v1/pins');
  if (answer.status !== 200) throw new Error(`the list is answered with ${answer.status}`);
  return ((await answer.json()) as { readonly pins: readonly PinJson[] }).pins;
}

/** Sends a request as a browser or an attacker could, at any path and with any headers; resolves after its answer. */
export async function send(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  form?: string,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }> {
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const method = form === undefined ? 'GET' : 'POST';
  const sent = request(url, { path, method, headers: { ...headers, ...type } }).end(form);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await once(answer.resume(), 'close');
  return { status: answer.statusCode ?? 0, headers: answer.headers };
}

/** Sends the lines of a head unchanged, and reads the answer. */
export async function sendLines(url: string, ...lines: readonly string[]): Promise<RawAnswer> {
  const connection = await openRawConnection(url);
  try {
    await connection.send([...lines, '\r\n'].join('\r\n'));
    return await connection.answer();
  } finally {
    connection.destroy();
  }
}
