import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Clock } from '@pinfold/core';
import { isErasedAccount } from '@pinfold/core/internal';
import { consoleLog, type RequestLog } from './follow-request.ts';
import { type ClientAddress, RequestLimiter, type RequestRate, socketAddress } from './request-limiter.ts';
import { Uploads } from './uploads.ts';

/** Options that the API and the management screen share. Give the doors of a process the same values. */
export interface DoorOptions {
  /**
   * How many requests an account may send to this process: one rate for all, or by caller. A rate that was set for the
   * account takes precedence. Null or absent: any number. A change costs ten.
   */
  readonly requestRate?: RequestRate | undefined;
  /** Counts the requests. Absent: the door creates its own, and each account has a rate per door. */
  readonly requestLimiter?: RequestLimiter | undefined;
  /** Returns the client's address, from proxies that you trust, to count anonymous clients. Default: the socket's. */
  readonly clientAddress?: ClientAddress | undefined;
  /** Bounds concurrent uploads; all doors of a process should share one. Default: 64 for this door. */
  readonly uploads?: Uploads | undefined;
  /**
   * How the door handles unknown paths. `pass`: passes the unchanged request to the next handler of your app. `refuse`:
   * answers as not found, below `/api/v1` only to callers. Default: `pass`.
   */
  readonly unknownPaths?: 'pass' | 'refuse' | undefined;
  /** Receives one entry per request, after its answer. Default: faults go to `console.error`. */
  readonly log?: RequestLog | undefined;
}

/** Options that all have a value. */
export type Filled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

export function doorOf(options: DoorOptions, clock: Clock): Filled<DoorOptions> {
  return {
    requestRate: options.requestRate ?? null,
    requestLimiter: options.requestLimiter ?? new RequestLimiter(),
    clientAddress: options.clientAddress ?? socketAddress,
    uploads: options.uploads ?? new Uploads({ clock }),
    unknownPaths: options.unknownPaths ?? 'pass',
    log: options.log ?? consoleLog,
  };
}

/** The second argument of `authenticate`. */
export interface AuthenticateOptions<Response extends ServerResponse = ServerResponse> {
  /** The response, so that you can act once it is sent. */
  readonly response: Response;
  /** The caller before the body arrived: check again, or return it if you cannot. Absent at the first call. */
  readonly again?: Caller;
}

/**
 * Identifies the caller of a request; `undefined` if unknown. It may throw a `Fault`, which is answered as such. A door
 * calls it again after a body that arrived later than the head: meanwhile, the key may have been revoked or the session
 * ended.
 *
 * @typeParam Request, Response the types of the framework in which the door is mounted.
 */
export type Authenticate<
  Request extends IncomingMessage = IncomingMessage,
  Response extends ServerResponse = ServerResponse,
> = (
  request: Request,
  options: AuthenticateOptions<Response>,
) => Promise<Caller | undefined> | Caller | undefined;

/** @throws TypeError unless `authenticate` returns a caller, or `undefined` or `null` for none. */
export async function callerOf<Request extends IncomingMessage, Response extends ServerResponse>(
  authenticate: Authenticate<Request, Response>,
  request: Request,
  options: AuthenticateOptions<Response>,
): Promise<Caller | undefined> {
  const caller = (await authenticate(request, options)) ?? undefined;
  if (caller === undefined) return undefined;
  if (Array.isArray(caller.scopes)) return isErased(caller) ? undefined : caller;
  throw new TypeError('authenticate must answer an account with its scopes, or undefined');
}

/** The names of erased accounts are reserved, so no caller may have one. */
function isErased({ account }: Caller): boolean {
  return typeof account === 'string' && isErasedAccount(account);
}

/** Removes the scope `admin` from callers if the door has no administration, and warns the first time. */
export function withoutAdministration<Request extends IncomingMessage, Response extends ServerResponse>(
  authenticate: Authenticate<Request, Response>,
  warn: (message: string) => void = console.warn,
): Authenticate<Request, Response> {
  let hasWarned = false;
  return async (request, options) => {
    const caller = await callerOf(authenticate, request, options);
    if (!caller?.scopes.includes('admin')) return caller;
    if (!hasWarned) warn(ADMIN_REMOVED);
    hasWarned = true;
    return { ...caller, scopes: caller.scopes.filter((scope) => scope !== 'admin') };
  };
}

const ADMIN_REMOVED =
  'authenticate answered the scope "admin", which was removed: to let callers administer, pass the option administration.';
