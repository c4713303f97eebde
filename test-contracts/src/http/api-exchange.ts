import { type IncomingHttpHeaders, request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

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

/** The JSON of a name. */
export interface WireName {
  readonly name: string;
  readonly url: string;
  readonly pin: string;
  readonly updated_at: string;
}

/** Everything an answer's JSON may have. */
export interface WireBody {
  readonly pin: WirePin;
  readonly pins: readonly WirePin[];
  readonly name: WireName;
  readonly names: readonly WireName[];
  readonly next_cursor: string | null;
  readonly grant: { readonly url: string; readonly expires_at: string };
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

/** Sends one request on a connection of its own and reads its answer, decompressed, which may come before the body is out. */
export function exchange(
  baseUrl: string,
  { method = 'GET', path, headers, body }: ApiRequest,
): Promise<ApiAnswer> {
  const url = new URL(`${baseUrl}${path}`);
  const send = url.protocol === 'https:' ? sendHttps : sendHttp;
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
  const isSized = body !== undefined && headers?.['Transfer-Encoding'] === undefined;
  const length = isSized ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
  const request = send(url, { method, agent: false, headers: { ...length, ...(headers as object) } });
  let hasAnswer = false;
  request.once('response', (response) => {
    hasAnswer = true;
    buffer(response).then((bytes) => {
      const isZipped = response.headers['content-encoding'] === 'gzip';
      const text = (isZipped ? gunzipSync(bytes) : bytes).toString('utf8');
      const status = response.statusCode ?? 0;
      resolve({ status, headers: response.headers, text, body: jsonOf(response.headers, text) });
    }, reject);
  });
  // What fails while the rest of the body is sent changes nothing: the answer tells itself whether it is whole.
  request.on('error', (error) => {
    if (!hasAnswer) reject(error);
  });
  request.end(body);
  return promise;
}

function jsonOf(headers: IncomingHttpHeaders, text: string): WireBody {
  const isJson = text !== '' && /^application\/(?:problem\+)?json\b/.test(headers['content-type'] ?? '');
  return (isJson ? JSON.parse(text) : {}) as WireBody;
}
