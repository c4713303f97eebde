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
  /** 499 if the viewer left before the answer. */
  readonly status: number;
  /** Why it was refused, or what failed: one of a few words in snake case; absent when it was answered as asked. */
  readonly outcome?: string;
  /** From the request's head to its answer, without reading the rest of an unwanted body. */
  readonly milliseconds: number;
  /** Whether the client had gone before its answer was out. */
  readonly gone?: true;
  /** The thrown error: a Fault of the core, or a defect. */
  readonly error?: unknown;
}

export type EntryMembers = { readonly [Name in keyof RequestEntry]: RequestEntry[Name] | undefined } & Pick<
  RequestEntry,
  'requestId' | 'method' | 'route' | 'role' | 'status' | 'milliseconds'
>;

export function requestEntry(members: EntryMembers): RequestEntry {
  const { requestId, method, route, role, status, milliseconds } = members;
  const entry: { -readonly [Name in keyof RequestEntry]: RequestEntry[Name] } = {
    requestId,
    method,
    route,
    role,
    status,
    milliseconds,
  };
  // One by one: to spread what is there costs each view more.
  if (members.account !== undefined) entry.account = members.account;
  if (members.key !== undefined) entry.key = members.key;
  if (members.outcome !== undefined) entry.outcome = members.outcome;
  if (members.gone !== undefined) entry.gone = members.gone;
  if (members.error !== undefined) entry.error = members.error;
  return entry;
}

/**
 * Takes an entry when a request is over. It must not throw.
 *
 * @param request what the entry is about, with all the secrets that the entry is free of.
 */
export type RequestLog = (entry: RequestEntry, request: IncomingMessage) => void;

/** The error of an entry. A promise may be rejected with `undefined`, and the entry would then have no error. */
export function thrown(error: unknown): unknown {
  return error === undefined ? new Error('undefined was thrown') : error;
}

/** The default log of the doors: writes failed requests to standard error, and no others. */
export const consoleLog = ({ requestId, method, route, status, error }: RequestEntry): void => {
  if (error === undefined || status < 500) return;
  console.error(`Pinfold answered ${method} ${route} with ${status} (request ${requestId}):`, error);
};
