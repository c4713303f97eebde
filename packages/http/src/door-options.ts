import type { Clock } from '@pinfold/core';
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
