import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { sendRequest } from './send-request.ts';

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

export interface WireName {
  readonly name: string;
  readonly url: string;
  readonly pin: string;
  readonly updated_at: string;
  readonly pin_state: string;
  readonly pin_expires_at: string | null;
  readonly previous: string | null;
}

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
  /** Members that a single clause reads, and compares as they are. */
  readonly [member: string]: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The JSON. Members that are missing in the answer are undefined, although their types do not say so. */
  readonly body: WireBody;
}

export interface ApiRequest {
  readonly method?: string;
  /** The path after the public URL, with its query. */
  readonly path: string;
  /** Several values of a name are sent as separate headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/** Sends one request and reads its answer, decompressed. */
export async function exchange(
  baseUrl: string,
  { headers, body, path, ...request }: ApiRequest,
): Promise<ApiAnswer> {
  const { pathname, search } = new URL(`${baseUrl}${path}`);
  const isSized = body !== undefined && headers?.['Transfer-Encoding'] === undefined;
  const length = isSized ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
  const answer = await sendRequest(baseUrl, {
    ...request,
    path: pathname + search,
    headers: { ...length, ...(headers as object) },
    ...(body === undefined ? {} : { body }),
  });
  const isZipped = answer.headers['content-encoding'] === 'gzip';
  const text = isZipped ? gunzipSync(answer.bytes).toString() : answer.text;
  return { ...answer, text, body: jsonOf(answer.headers, text) };
}

function jsonOf(headers: IncomingHttpHeaders, text: string): WireBody {
  const isJson = text !== '' && /^application\/(?:problem\+)?json\b/.test(headers['content-type'] ?? '');
  return (isJson ? JSON.parse(text) : {}) as WireBody;
}
