import { after, type Clock, type Duration, type Instant, minutes, seconds } from '@pinfold/core';
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
/** How far the issuer's clock may be from ours, in seconds. */
const TOLERANCE = 120;
/** The issuer's addresses are this old at most when a browser is sent there. */
const KNOWN_FOR = minutes(10);
/** The shortest time between two requests for the discovery document, also for one that failed. */
const DISCOVERED_EVERY = seconds(5);
const KEYS_CACHED_FOR = minutes(5);
/** The library asks for keys anew for an unknown `kid` only when its cached keys are this old, in seconds. */
const OLD_ENOUGH = 60;

/** No document, key set or token of a provider comes near. */
const MAX_BYTES = 1_048_576;

interface BoundedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Null for a status without a body. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** One request for the discovery document, shared by all who need it. */
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

  /** For the addresses where people sign in and out. */
  async known(): Promise<Configuration> {
    return await this.#configured(KNOWN_FOR, 'client_secret_basic');
  }

  /** For one exchange: its requests end with the signal. The keys that it fetches are cached. */
  async forExchange<Result>(
    method: ClientMethod,
    signal: AbortSignal,
    exchange: (config: Configuration) => Promise<Result>,
  ): Promise<Result> {
    const config = await this.#configured(DISCOVERED_EVERY, method, signal);
    config[customFetch] = async (url, options) => responseOf(await fetchBounded(url, options, signal));
    const { clock } = this.#client;
    const uat = Math.floor(Date.now() / 1_000) - OLD_ENOUGH;
    if (this.#keys !== undefined && after(this.#keys.at, KEYS_CACHED_FOR) > clock.now()) {
      setJwksCache(config, { jwks: this.#keys.jwks, uat });
    }
    try {
      return await exchange(config);
    } finally {
      const cached = getJwksCache(config);
      if (cached !== undefined && cached.uat > uat) this.#keys = { at: clock.now(), jwks: cached.jwks };
    }
  }

  async #configured(age: Duration, method: ClientMethod, signal?: AbortSignal): Promise<Configuration> {
    const { issuer, clientId, clientSecret, clock } = this.#client;
    const discovered = this.#notOlderThan(age);
    const metadata = {
      [clockSkew]: Math.round((clock.now() - Date.now()) / 1_000),
      [clockTolerance]: TOLERANCE,
    };
    const authentication = method === 'client_secret_post' ? ClientSecretPost : ClientSecretBasic;
    try {
      return await discovery(issuer, clientId, metadata, authentication(clientSecret), {
        // Other callers share the request, so it continues when one leaves.
        [customFetch]: async (url, options) => {
          discovered.answer ??= fetchBounded(url, options).catch((error: unknown) => {
            discovered.failed = true;
            throw error;
          });
          return responseOf(await raceSignal(discovered.answer, signal));
        },
        timeout: TIMEOUT,
        execute: [
          enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      });
    } catch (error) {
      // A document may have come that is of no use.
      if (signal?.aborted !== true) discovered.failed = true;
      throw error;
    }
  }

  #notOlderThan(age: Duration): Discovered {
    const now = this.#client.clock.now();
    const last = this.#discovered;
    if (last === undefined || after(last.at, last.failed ? DISCOVERED_EVERY : age) <= now) {
      this.#discovered = { at: now, failed: false };
    }
    return this.#discovered as Discovered;
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

function responseOf({ status, headers, body }: BoundedAnswer): Response {
  return new Response(body, { status, headers });
}
