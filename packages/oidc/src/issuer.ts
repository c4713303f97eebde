import { type Clock, type Duration, type Instant, minutes, seconds } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import {
  allowInsecureRequests,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetchOptions,
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  type ExportedJWKSCache,
  enableNonRepudiationChecks,
  getJwksCache,
  setJwksCache,
} from 'openid-client';

export type ClientMethod = 'client_secret_basic' | 'client_secret_post';

export interface Client {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** The timeout of each request, in seconds. */
const TIMEOUT = 10;
/** The accepted difference of the issuer's clock, in seconds. */
const TOLERANCE = 120;
/** The maximum age of the issuer's addresses when a browser is sent there. */
const MAX_AGE = minutes(10);
/** The shortest time between two requests for the discovery document, even after a failure. */
const DISCOVERY_INTERVAL = seconds(5);
const KEYS_CACHED_FOR = minutes(5);
/** The library refetches keys for an unknown `kid` only if the cached ones are at least this old, in seconds. */
const MIN_KEYS_AGE = 60;

/** Far above the size of any document, key set or token of an issuer. */
const MAX_BYTES = 1_048_576;

interface BoundedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null for a status without a body. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** One request for the discovery document, shared by all callers. */
interface Discovered {
  readonly at: Instant;
  answer?: Promise<BoundedAnswer>;
  failed: boolean;
}

/** Caches the discovery document and the keys of an issuer. */
export class Issuer {
  readonly #client: Client;
  #discovered: Discovered | undefined;
  #keys: { readonly at: Instant; readonly jwks: ExportedJWKSCache['jwks'] } | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The configuration for addresses of sign-in and sign-out. */
  async configuration(): Promise<Configuration> {
    return await this.#configure(MAX_AGE, 'client_secret_basic');
  }

  /** Runs one exchange, whose requests end with the signal. Caches the keys that it fetches. */
  async forExchange<Result>(
    method: ClientMethod,
    signal: AbortSignal,
    exchange: (config: Configuration) => Promise<Result>,
  ): Promise<Result> {
    const config = await this.#configure(DISCOVERY_INTERVAL, method, signal);
    config[customFetch] = async (url, options) => toResponse(await fetchBounded(url, options, signal));
    const { clock } = this.#client;
    const uat = Math.floor(Date.now() / 1_000) - MIN_KEYS_AGE;
    if (this.#keys !== undefined && this.#isFresh(this.#keys, KEYS_CACHED_FOR)) {
      setJwksCache(config, { jwks: this.#keys.jwks, uat });
    }
    try {
      return await exchange(config);
    } finally {
      const cached = getJwksCache(config);
      if (cached !== undefined && cached.uat > uat) this.#keys = { at: clock.now(), jwks: cached.jwks };
    }
  }

  async #configure(age: Duration, method: ClientMethod, signal?: AbortSignal): Promise<Configuration> {
    const { issuer, clientId, clientSecret, clock } = this.#client;
    const discovered = this.#discover(age);
    const metadata = {
      [clockSkew]: Math.round((clock.now() - Date.now()) / 1_000),
      [clockTolerance]: TOLERANCE,
    };
    const authentication = method === 'client_secret_post' ? ClientSecretPost : ClientSecretBasic;
    try {
      return await discovery(issuer, clientId, metadata, authentication(clientSecret), {
        // Not aborted by the signal, because other callers share the request.
        [customFetch]: async (url, options) => {
          discovered.answer ??= fetchBounded(url, options).catch((error: unknown) => {
            discovered.failed = true;
            throw error;
          });
          return toResponse(await raceSignal(discovered.answer, signal));
        },
        timeout: TIMEOUT,
        execute: [
          enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      });
    } catch (error) {
      // The document may have arrived but be invalid.
      if (signal?.aborted !== true) discovered.failed = true;
      throw error;
    }
  }

  #discover(age: Duration): Discovered {
    const last = this.#discovered;
    if (last !== undefined && this.#isFresh(last, last.failed ? DISCOVERY_INTERVAL : age)) return last;
    const next = { at: this.#client.clock.now(), failed: false };
    this.#discovered = next;
    return next;
  }

  /** Whether an answer is younger than `age`; false if the clock was set back since. */
  #isFresh({ at }: { readonly at: Instant }, age: Duration): boolean {
    const passed = this.#client.clock.now() - at;
    return passed >= 0 && passed < age;
  }
}

/** @throws ClientError when the answer is longer than 1 MiB after decompression. */
async function fetchBounded(
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
    if (bytes > MAX_BYTES) throw new ClientError('the provider sent an answer of more than 1 MiB');
    parts.push(part);
  }
  return { status, headers, body: Buffer.concat(parts) };
}

function toResponse({ status, headers, body }: BoundedAnswer): Response {
  return new Response(body, { status, headers });
}
