import type { IncomingMessage } from 'node:http';
import type { AccountId, RoleId } from '@pinfold/core';

/** One answered request, free of secrets: no query, path, address, key, cookie, Referer or Location. */
export interface RequestEntry {
  /** As the answer's `X-Request-Id` has it, where it has one. */
  readonly requestId: string;
  readonly method: string;
  /** The route, such as `/api/v1/pins/{id}` or `site`; never the requested path. */
  readonly route: string;
  /** The role that was asked for or published, whether there is one or not; null when it was about none. */
  readonly role: RoleId | null;
  /** The account of the caller, once it is known; viewers have none. */
  readonly account?: AccountId;
  /** The id of the API key that it came with, which is no secret. */
  readonly key?: string;
  /** 499 if the client left before there was an answer. */
  readonly status: number;
  /** Why it was refused, or what failed: one of a few words in snake case; absent when it was answered as asked. */
  readonly outcome?: string;
  /** What of the operator's rules refused it, in one line without anything secret. */
  readonly reason?: string;
  /** From the request's head to its answer, without the rest of an unwanted body; sending it counts in the viewer only. */
  readonly milliseconds: number;
  /** Whether the connection closed before the answer was out. */
  readonly gone?: true;
  /** The thrown error: a Fault of the core, or a defect. */
  readonly error?: unknown;
}

/**
 * Takes an entry when a request is over. What it throws goes to `console.error`.
 *
 * @param request what the entry is about, with all the secrets that the entry is free of.
 */
export type RequestLog = (entry: RequestEntry, request: IncomingMessage) => void;

/** The default log of the doors: writes failed requests to standard error, also those that failed after their head. */
export const consoleLog = ({ requestId, method, route, status, error }: RequestEntry): void => {
  if (error === undefined || (status >= 400 && status < 500)) return;
  console.error(`Pinfold answered ${method} ${route} with ${status} (request ${requestId}):`, error);
};
