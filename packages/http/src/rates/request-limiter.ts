import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { type Account, type AccountId, type Caller, type Instant, minutes, type Rate } from '@pinfold/core';
import type { RateLeft } from '@pinfold/core/adapter';
import { rateInForce } from '@pinfold/core/internal';
import { RateLimiter, type TakenRequest } from './rate-limiter.ts';

/** A rate of requests for all accounts, or by caller; null for none. */
export type RequestRate = Rate | null | ((caller: Caller) => Rate | null | Promise<Rate | null>);

/** The address of the client behind a request. */
export type ClientAddress = (request: IncomingMessage) => string;

const OF_ANONYMOUS: Rate = { count: 60, window: minutes(1) };
/** Many clients share the address of a proxy. */
const OF_A_PROXY: Rate = { count: 600, window: minutes(1) };
const OF_REVOCATIONS: Rate = { count: 60, window: minutes(1) };

/**
 * Bounds the requests that this process takes. Give one to all doors of a process: an account's requests to the API and
 * to the screen are taken from the same rate, and so are a stranger's failures.
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
   * Counts an attempt of a client that is not signed in: a wrong key or link, a sign-in begun elsewhere. Call it after
   * the attempt failed. `address` is as far as proxies are trusted; of IPv6 its /64 counts.
   */
  takeAnonymous(request: IncomingMessage, address: string, now: Instant): TakenRequest {
    const rate = isUntrustedProxy(request, address) ? OF_A_PROXY : OF_ANONYMOUS;
    return this.#anonymous.take(clientOf(address), rate, now);
  }

  /** Counts a request that ends access, which the account's rate must never refuse, by session. */
  takeRevocation(session: string, now: Instant): TakenRequest {
    return this.#revocations.take(session, OF_REVOCATIONS, now);
  }
}

/** The rate of requests in force for a caller: its account's own before the one for all. */
export async function requestRateOf(
  ofAll: RequestRate,
  caller: Caller,
  account: Pick<Account, 'limits'> | undefined,
): Promise<Rate | null> {
  const rate = typeof ofAll === 'function' ? await ofAll(caller) : ofAll;
  return rateInForce(account?.limits.requests ?? null, rate);
}

/** The address of the socket, for servers without a proxy before them. */
export function socketAddress({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

/** The peer forwards for others, and is not trusted to name them. */
function isUntrustedProxy(request: IncomingMessage, address: string): boolean {
  const { headers } = request;
  const forwards = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return forwards && address === socketAddress(request);
}

/** One client: an IPv4 address, also one mapped into IPv6, or an IPv6 /64. Any other text is returned as it is. */
export function clientOf(address: string): string {
  const bare = address.replace(/%.*/s, '');
  if (isIP(bare) !== 6) return bare;
  // An address has several spellings (RFC 4291, section 2.2); a URL has one, in hexadecimal groups only.
  const { hostname } = new URL(`http://[${bare}]`);
  const [front = [], back = []] = hostname.split('::').map((part) => part.match(/[\da-f]+/g) ?? []);
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  const bytes = groups.slice(6).map((group) => group.padStart(4, '0'));
  return Buffer.from(bytes.join(''), 'hex').join('.');
}

/** The name of a rate in the headers and in `GET /api/v1/limits`. */
export type RatePolicy = 'requests' | 'publications';

/** Adds what is left of a rate to the headers of an answer (draft-ietf-httpapi-ratelimit-headers-10). */
export function addRateHeaders(
  response: ServerResponse,
  name: RatePolicy,
  left: RateLeft,
  now: Instant,
): void {
  if (response.headersSent) return;
  // A refused request wants to know when it passes, as Retry-After says; every other one when all is there again.
  const until = left.nextAt > now ? left.nextAt : left.wholeAt;
  const add = (header: string, item: string) =>
    response.setHeader(header, [response.getHeader(header) ?? [], `"${name}";${item}`].flat().join(', '));
  add('RateLimit-Policy', `q=${left.limit};w=${Math.ceil(left.window / 1_000)}`);
  add('RateLimit', `r=${left.remaining};t=${Math.ceil((until - now) / 1_000)}`);
}
