import type { IncomingMessage } from 'node:http';
import { checkAgainstDocument } from '@pinfold/test-contracts';
import {
  archivePart,
  type FormPart,
  multipart,
  openRawConnection,
  type RawAnswer,
  titlePart,
} from '@pinfold/test-contracts/internal';
import { zipSync } from 'fflate';
import type { Rig } from './rig.ts';

/** A publication as in an answer. */
export interface PinJson {
  readonly id: string;
  readonly title: string | null;
  readonly state: string;
  readonly taken_down?: { readonly reason: string; readonly at: string } | null;
}

/** The members of an answer's JSON that tests read. */
export interface Json {
  readonly pin: PinJson;
  readonly pins: readonly PinJson[];
  readonly code: string;
  readonly detail: string;
  readonly account: Readonly<Record<string, unknown>>;
  readonly accounts: readonly { readonly name: string }[];
  readonly copies: readonly string[];
  readonly takedowns: readonly { readonly id: string }[];
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly account: string | null;
    readonly actor: object;
    readonly address?: string;
    readonly name?: string;
  }[];
  readonly service: object;
  readonly paths: object;
  readonly next_cursor: string | null;
  readonly cursors?: readonly string[];
  readonly oldest_cursor?: string;
  readonly [member: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

/** A request with the first account's key, unless `headers` has another. Its answer must match the document. */
export async function ask(
  rig: Pick<Rig, 'baseUrl' | 'keys' | 'document' | 'administrationDocument'>,
  path: string,
  { headers: sent, ...init }: RequestInit = {},
): Promise<Answer> {
  const authorization = { authorization: `Bearer ${rig.keys.first}` };
  const response = await fetch(`${rig.baseUrl}${path}`, {
    ...init,
    headers: { ...authorization, ...sent },
  });
  const text = await response.text();
  const { method = 'GET' } = init;
  const headers = Object.fromEntries(response.headers);
  const document = path.startsWith('/admin/') ? rig.administrationDocument : rig.document;
  checkAgainstDocument(document, { method, path }, { status: response.status, headers, text });
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text !== '' && headers['content-type']?.includes('json') ? JSON.parse(text) : {},
  };
}

/** Sends a request with another key than the first account's. */
export function askAs(
  rig: Parameters<typeof ask>[0],
  key: string,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  return ask(rig, path, { ...init, headers: { authorization: `Bearer ${key}` } });
}

/** A site of one page. */
export function siteZip(text = 'hello'): Uint8Array<ArrayBuffer> {
  return zipSync({ 'index.html': Buffer.from(text) }, { mtime: '2026-11-20' }) as Uint8Array<ArrayBuffer>;
}

/** Publishes a site of one page. */
export function publish(
  rig: Pick<Rig, 'baseUrl' | 'keys' | 'document' | 'administrationDocument'>,
  key = 'key',
  title?: string,
  archive: Uint8Array = siteZip(),
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = multipart([archivePart(archive), ...(title === undefined ? [] : [titlePart(title)])]);
  return ask(rig, `/api/v1/pins${query}`, {
    method: 'POST',
    headers: { 'content-type': form.contentType, 'idempotency-key': key, ...headers },
    body: new Uint8Array(form.body),
  });
}

/** Changes a role by one attribute. */
export function update(rig: Rig, id: string, change: object): Promise<Answer> {
  return ask(rig, `/api/v1/pins/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
}

/** A publication in bytes, as one request: its head, and its body. */
export function publicationBytes(
  rig: Rig,
  parts: readonly FormPart[] = [archivePart(siteZip())],
  headers: readonly string[] = [],
): { readonly head: string; readonly body: Buffer } {
  const form = multipart(parts);
  const lines = [
    'POST /api/v1/pins HTTP/1.1',
    'Host: share.example',
    `Authorization: Bearer ${rig.keys.first}`,
    'Idempotency-Key: raw',
    `Content-Type: ${form.contentType}`,
    `Content-Length: ${form.body.byteLength}`,
    ...headers,
    '\r\n',
  ];
  return { head: lines.join('\r\n'), body: form.body };
}

/** Sends bytes on a connection of their own, and reads the answer. */
export async function askRaw(rig: Rig, ...bytes: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  const connection = await openRawConnection(rig.baseUrl);
  for (const piece of bytes) await connection.send(piece);
  const answer = await connection.answer();
  connection.destroy();
  return answer;
}

/** One turn of the event loop, in which everything that is ready happens. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Milliseconds, slightly less than a test's time limit. Not a number of turns, since their speed depends on the machine. */
const MAX_WAIT = 50_000;

/** Waits, turn by turn, until a condition is true. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < MAX_WAIT; await turn()) {
    if (await isTrue()) return;
  }
  throw new Error('the condition never became true');
}

/** The latest request of a service, as its server received it. */
export function latestRequest({ server }: Rig): () => IncomingMessage | undefined {
  let latest: IncomingMessage | undefined;
  server.on('request', (request) => {
    latest = request;
  });
  return () => latest;
}

/** Waits until the reader of the body has read all bytes that were sent on a connection, and waits for more. */
export async function untilTaken(request: () => IncomingMessage | undefined, sent: number): Promise<void> {
  await until(() => {
    const { socket, readableLength } = request() ?? {};
    return socket?.bytesRead === sent && readableLength === 0 && request()?.isPaused() === false;
  });
  // Small chunks are passed on in the next turn.
  for (let n = 0; n < 2; n += 1) await turn();
}
