import type { Caller, ManageKeys, ManageSessions, RoleId, UseCases } from '@pinfold/core';
import type { Uploads } from '@pinfold/http';
import type { Request, Response } from 'express';

/** Whose request it is; `undefined` when nobody is signed in. The caller needs the scope `manage`. */
export type Authenticate = (request: Request, response: Response) => Promise<Caller | undefined>;

/** What {@link createManagement} needs. */
export interface ManagementOptions {
  readonly useCases: Pick<
    UseCases,
    'clock' | 'limits' | 'open' | 'pin' | 'publish' | 'read' | 'staging' | 'stop' | 'update'
  >;
  /** The public address, under which sites are shared: `https://pages.example.com`. No slash at its end. */
  readonly publicUrl: string;
  /** Signs people in by one-time links and API keys. Give this or `authenticate`. */
  readonly sessions?: ManageSessions;
  /** Your own sign-in. The screen then has neither a sign-in page nor a sign-out. */
  readonly authenticate?: Authenticate;
  /** Absent: no page for API keys. */
  readonly keys?: ManageKeys;
  /** Bounds the uploads that are received at the same time: 64, unless other doors of the process share one. */
  readonly uploads?: Uploads;
  /** Takes one entry a request, after its answer. */
  readonly log?: (entry: ManagementLogEntry) => void;
}

/** One line of the request log. It holds no key, token, query or address. */
export interface ManagementLogEntry {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern: `/manage/publications/:id`. */
  readonly route: string;
  readonly status: number;
  /** From the request's arrival to its answer, in milliseconds. */
  readonly time: number;
  /** The role that the address names. */
  readonly role?: RoleId;
  /** What broke, for answers of 500 and above. */
  readonly error?: unknown;
}
