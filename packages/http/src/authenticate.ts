import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@pinfold/core';

/**
 * Tells whose request it is; `undefined` when that cannot be said. It may throw a `Fault`, which is answered as such.
 *
 * @typeParam Request, Response as the framework has them that the door is mounted in.
 */
export type Authenticate<
  Request extends IncomingMessage = IncomingMessage,
  Response extends ServerResponse = ServerResponse,
> = (request: Request, response: Response) => Promise<Caller | undefined>;

/**
 * Asks whose request it is. Where types are not checked, `null` is nobody, too, and what is no caller is a mistake that
 * is said.
 *
 * @throws TypeError for what is neither a caller nor nobody, and what `authenticate` throws.
 *
 * @example
 * import { IncomingMessage, ServerResponse } from 'node:http';
 * import { Socket } from 'node:net';
 * import { callerOf } from '@pinfold/http';
 *
 * const request = new IncomingMessage(new Socket());
 * await callerOf(async () => undefined, request, new ServerResponse(request)); // undefined
 */
export async function callerOf<Request extends IncomingMessage, Response extends ServerResponse>(
  authenticate: Authenticate<Request, Response>,
  request: Request,
  response: Response,
): Promise<Caller | undefined> {
  const caller = (await authenticate(request, response)) ?? undefined;
  if (caller === undefined || Array.isArray(caller.scopes)) return caller;
  throw new TypeError('authenticate must answer an account with its scopes, or undefined');
}
