import type { Clock } from '@pinfold/core';
import {
  type ClientAddress,
  RequestLimiter,
  type RequestRate,
  socketAddress,
} from './rates/request-limiter.ts';
import { consoleLog, type RequestLog } from './request-entry.ts';
import { Uploads } from './uploads.ts';

/** Options that the API and the management screen share. Give the doors of a process the same values. */
export interface DoorOptions {
  /**
   * How many requests an account may send to this process: one rate for all, or by caller. One that was set for the
   * account goes before it. Null and absent: any number. A change costs ten.
   */
  readonly requestRate?: RequestRate | undefined;
  /** Counts the requests. Absent, the door has its own, and an account a rate for each door. */
  readonly requestLimiter?: RequestLimiter | undefined;
  /** The client's address, by which strangers are counted, as far as you trust proxies. Default: the socket's. */
  readonly clientAddress?: ClientAddress | undefined;
  /** Bounds the uploads that are received at the same time: 64, unless other doors of the process share one. */
  readonly uploads?: Uploads | undefined;
  /**
   * What happens to a path that is none of the door's. `pass`: the next handler of your app gets it, as it came. `refuse`:
   * it is answered as not found, below `/api/v1` only to callers. Default: `pass`.
   */
  readonly unknownPaths?: 'pass' | 'refuse' | undefined;
  /** Takes one entry a request, after its answer. Default: faults go to `console.error`. */
  readonly log?: RequestLog | undefined;
}

/** Options of which each has a value. */
export type Given<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

export function doorOf(options: DoorOptions, clock: Clock): Given<DoorOptions> {
  return {
    requestRate: options.requestRate ?? null,
    requestLimiter: options.requestLimiter ?? new RequestLimiter(),
    clientAddress: options.clientAddress ?? socketAddress,
    uploads: options.uploads ?? new Uploads({ clock }),
    unknownPaths: options.unknownPaths ?? 'pass',
    log: options.log ?? consoleLog,
  };
}
