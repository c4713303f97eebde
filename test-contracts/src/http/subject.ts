import type { Duration } from '@pinfold/core';
import type { ClauseTable, Contract, Subject } from '../contract.ts';

/** A running service under test, which its clients reach over real sockets. */
export interface HttpService {
  /** The service's public URL, below which the API and the shared URLs are, without a trailing slash. */
  readonly baseUrl: string;
  /** How sites are viewed: on a host of their own, or under a path of the public one. */
  readonly viewerMode: 'origin' | 'path';
  /** Complete API keys: of two accounts, both with every scope, and one of the first account that may only read. */
  readonly keys: { readonly first: string; readonly second: string; readonly readOnly: string };
  /** Advances the clock that the service was created with. */
  advance(length: Duration): Promise<void>;
  /** Pins a role, as the management screen would. */
  pin(id: string): Promise<void>;
  /** Unpins a role, as the management screen would. */
  unpin(id: string): Promise<void>;
}

/** A service with no role yet. A peer is another server with the same data, or the same server where there is only one. */
export type HttpSubject = Subject<HttpService>;

export type HttpClauses = ClauseTable<HttpService, HttpSubject>;

/** Promises of the service, as data. */
export type HttpContract = Contract<HttpService, HttpSubject>;
