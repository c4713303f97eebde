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
