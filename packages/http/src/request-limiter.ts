import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import {
  type Account,
  type AccountId,
  type Caller,
  type Instant,
  minutes,
  type Rate,
  type RateMark,
} from '@pinfold/core';
import type { RateLeft } from '@pinfold/core/adapter';
import { rateInForce, rateLeft, takenFrom } from '@pinfold/core/internal';

/** The decision about one request, and the rate that is left after it. */
export interface TakenRequest {
  readonly kind: 'admitted' | 'limited';
  /** For a limited request, `nextAt` is when the rate admits its cost. */
  readonly left: RateLeft;
}

interface Entry {
  readonly mark: RateMark;
  /** When the whole rate is available again, so that the entry can be removed. */
  readonly wholeAt: Instant;
}

/** The maximum number of entries; a further one replaces the oldest. */
const MAX_ENTRIES = 100_000;
/** Entries that each call checks for removal: twice as many as it may add. */
const CHECKED_PER_CALL = 2;

/** Takes requests from a rate by key, in the memory of this process. */
export class RateLimiter<Key> {
  /** The least recently checked come first. */
  readonly #entries: Map<Key, Entry> = new Map();

  /** How many keys have less than their whole rate. */
  get size(): number {
    return this.#entries.size;
  }

  /** Takes a request's cost from the rate of its key; takes nothing when too little is left. */
  take(key: Key, rate: Rate, now: Instant, cost = 1): TakenRequest {
    this.#removeWhole(now);
    const mark = this.#entries.get(key)?.mark ?? null;
    const before = rateLeft(rate, mark, now, cost);
    if (before.nextAt > now) return { kind: 'limited', left: before };
    const taken = takenFrom(rate, mark, now, cost);
    const left = rateLeft(rate, taken, now);
    this.#entries.set(key, { mark: taken, wholeAt: left.wholeAt });
    return { kind: 'admitted', left };
  }

  left(key: Key, rate: Rate, now: Instant): RateLeft {
    return rateLeft(rate, this.#entries.get(key)?.mark ?? null, now);
  }

  #removeWhole(now: Instant): void {
    const oldest = this.#entries.entries();
    for (let n = 0; n < CHECKED_PER_CALL; n += 1) {
      const next = oldest.next();
      if (next.done === true) return;
      const [key, entry] = next.value;
      this.#entries.delete(key);
      if (entry.wholeAt > now && this.#entries.size < MAX_ENTRIES) this.#entries.set(key, entry);
    }
  }
}

/** A rate of requests for all accounts, or by caller; null for none. */
export type RequestRate = Rate | null | ((caller: Caller) => Rate | null | Promise<Rate | null>);

/** The address of the client behind a request. */
export type ClientAddress = (request: IncomingMessage) => string;

const ANONYMOUS_RATE: Rate = { count: 60, window: minutes(1) };
/** Higher, since many clients share the address of a proxy. */
const PROXY_RATE: Rate = { count: 600, window: minutes(1) };
const REVOCATION_RATE: Rate = { count: 60, window: minutes(1) };

/**
 * Bounds the requests that this process accepts. Give one to all doors of a process, so that the API and the screen share
 * the rates of accounts and of anonymous clients.
 *
 * @example
 * import { accountId, instant, minutes } from '@pinfold/core';
 * import { RequestLimiter } from '@pinfold/http';
 *
 * const { accounts } = new RequestLimiter();
 * const rate = { count: 60, window: minutes(1) };
 * accounts.take(accountId('team'), rate, instant(0), 10).left.remaining; // 50
 */
export class RequestLimiter {
  readonly accounts: RateLimiter<AccountId> = new RateLimiter();
  readonly #anonymous: RateLimiter<string> = new RateLimiter();
  readonly #revocations: RateLimiter<string> = new RateLimiter();

  /**
   * Counts a failed attempt of a client that is not signed in: a wrong key or link, or a sign-in at an identity provider.
   * `address` comes from trusted proxies, if any; an IPv6 address is counted by its /64.
   */
  takeAnonymous(request: IncomingMessage, address: string, now: Instant): TakenRequest {
    const rate = isUntrustedProxy(request, address) ? PROXY_RATE : ANONYMOUS_RATE;
    return this.#anonymous.take(clientOf(address), rate, now);
  }

  /** Counts a request that ends access by session, since the account's rate must never refuse it. */
  takeRevocation(session: string, now: Instant): TakenRequest {
    return this.#revocations.take(session, REVOCATION_RATE, now);
  }
}

/** The rate of requests in force for a caller: its account's own, or else the one for all. */
export async function requestRateOf(
  defaultRate: RequestRate,
  caller: Caller,
  account: Pick<Account, 'limits'> | undefined,
): Promise<Rate | null> {
  const rate = typeof defaultRate === 'function' ? await defaultRate(caller) : defaultRate;
  return rateInForce(account?.limits.requests ?? null, rate);
}

/** The address of the socket, for servers without a proxy. */
export function socketAddress({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

/** Whether the peer forwards requests of others, but is not trusted to name their addresses. */
function isUntrustedProxy(request: IncomingMessage, address: string): boolean {
  const { headers } = request;
  const forwards = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return forwards && address === socketAddress(request);
}

/** Returns the client of an address: its IPv4 address, even if mapped into IPv6, or its IPv6 /64; or any other text. */
export function clientOf(address: string): string {
  const bare = address.replace(/%.*/s, '');
  if (isIP(bare) !== 6) return bare;
  // A URL normalizes the spellings of an address (RFC 4291, section 2.2) to hexadecimal groups.
  const { hostname } = new URL(`http://[${bare}]`);
  const [front = [], back = []] = hostname.split('::').map((part) => part.match(/[\da-f]+/g) ?? []);
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  const bytes = groups.slice(6).map((group) => group.padStart(4, '0'));
  return Buffer.from(bytes.join(''), 'hex').join('.');
}

/** The name of a rate in the headers and in `GET /api/v1/limits`. */
type RatePolicy = 'requests' | 'publications';

/** Adds the rest of a rate to the headers of an answer (draft-ietf-httpapi-ratelimit-headers-10). */
export function addRateHeaders(
  response: ServerResponse,
  name: RatePolicy,
  left: RateLeft,
  now: Instant,
): void {
  if (response.headersSent) return;
  // After a refusal, the time until the request passes, as in Retry-After; otherwise until the whole rate is available.
  const until = left.nextAt > now ? left.nextAt : left.wholeAt;
  const add = (header: string, item: string) =>
    response.setHeader(header, [response.getHeader(header) ?? [], `"${name}";${item}`].flat().join(', '));
  add('RateLimit-Policy', `q=${left.limit};w=${Math.ceil(left.window / 1_000)}`);
  add('RateLimit', `r=${left.remaining};t=${Math.ceil((until - now) / 1_000)}`);
}
