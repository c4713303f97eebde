import type { IncomingMessage } from 'node:http';
import type { AccountId, RoleId } from '@pinfold/core';

/** One answered request, free of secrets: no query, path, address, key, cookie, Referer or Location. */
export interface RequestEntry {
  /** The `X-Request-Id` of the answer, if it has one. */
  readonly requestId: string;
  readonly method: string;
  /** The route, such as `/api/v1/pins/{id}` or `site`; never the requested path. */
  readonly route: string;
  /** The requested or published role, even if it does not exist; null if the request names none. */
  readonly role: RoleId | null;
  /** The account of the caller, once it is known; viewers have none. */
  readonly account?: AccountId;
  /** The id of the request's API key, which is not secret. */
  readonly key?: string;
  /** 499 if the client left before there was an answer. */
  readonly status: number;
  /** The code of the refusal or failure, in snake case; absent after success. */
  readonly outcome?: string;
  /** The rule of the operator that refused the request, in one line without secrets. */
  readonly reason?: string;
  /** From the request's head to its answer, without draining an unwanted body; includes sending in the viewer only. */
  readonly milliseconds: number;
  /** Whether the connection closed before the answer was sent. */
  readonly gone?: true;
  /** The thrown error: a Fault of the core, or a defect. */
  readonly error?: unknown;
}

/**
 * Receives an entry when a request has ended. Its errors, and rejections of an asynchronous one, go to `console.error`.
 *
 * @param request the request, with all the secrets that the entry omits.
 */
export type RequestLog = (entry: RequestEntry, request: IncomingMessage) => void;

/** The default log of the doors: writes failed requests to standard error, even if they failed after their head. */
export const consoleLog = ({ requestId, method, route, status, error }: RequestEntry): void => {
  if (error === undefined || (status >= 400 && status < 500)) return;
  console.error(`Pinfold answered ${method} ${route} with ${status} (request ${requestId}):`, error);
};
