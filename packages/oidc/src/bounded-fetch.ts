import { ClientError, type CustomFetchOptions } from 'openid-client';

/** The answer of a provider, whole. */
export interface BoundedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null for a status without a body. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** No document, key set or token of a provider comes near. */
const MOST_BYTES = 1_048_576;

/**
 * Fetches an answer of at most 1 MiB after decompression.
 *
 * @param signal cancels the request.
 * @throws ClientError when the answer is longer.
 */
export async function fetchBounded(
  url: string,
  options: CustomFetchOptions,
  signal?: AbortSignal,
): Promise<BoundedAnswer> {
  const signals = [options.signal, signal].filter((each) => each !== undefined);
  const init = { body: options.body ?? null, signal: AbortSignal.any(signals) };
  const { status, headers, body } = await fetch(url, { ...options, ...init });
  if (body === null) return { status, headers, body };
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > MOST_BYTES) throw new ClientError('the provider sent an answer of more than 1 MiB');
    parts.push(part);
  }
  return { status, headers, body: Buffer.concat(parts) };
}

/** A response that the library reads as if it had fetched it. */
export function responseOf({ status, headers, body }: BoundedAnswer): Response {
  return new Response(body, { status, headers });
}
