import type { RoleId } from '@pinfold/core';

/** One answered request, free of secrets: no query, path, address, key, cookie, Referer or Location. */
export interface RequestEntry {
  /** As the answer's `X-Request-Id` has it, where it has one. */
  readonly requestId: string;
  readonly method: string;
  /** What kind of thing was asked for, `/api/v1/pins/{id}` or `site`; never the path as it came. */
  readonly route: string;
  /** The role that was asked for or published, whether there is one or not; null when it was about none. */
  readonly role: RoleId | null;
  /** Of a viewer who left before there was an answer: 499. */
  readonly status: number;
  /** From the request's head to its answer; reading the rest of a body that nobody wants is not part of it. */
  readonly milliseconds: number;
  /** Whether the client had gone before its answer was out. */
  readonly gone?: true;
  /** What broke, as it was thrown: a Fault of the core, or a defect. */
  readonly error?: unknown;
}

/** Takes an entry when a request is over. What it throws is nobody's to catch. */
export type RequestLog = (entry: RequestEntry) => void;
