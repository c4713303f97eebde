import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@pinfold/core';
import { isErasedAccount } from '@pinfold/core/internal';

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
