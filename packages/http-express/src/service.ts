import type { Caller, RoleId, UseCases } from '@pinfold/core';
import type { Answer, BodyLimits, DrainLimits, PublicUrl, RequestLog, Uploads } from '@pinfold/http';
import type { Request } from 'express';
import type { Authenticate } from './authentication.ts';
import type { AnyRefusal } from './problems/problem.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What the API works with. */
export interface Service {
  readonly useCases: UseCases;
  readonly publicUrl: PublicUrl;
  readonly authenticate: Authenticate;
  readonly bodyTimeouts: Pick<BodyLimits, 'idle' | 'total'>;
  readonly drain: DrainLimits;
  readonly uploads: Uploads;
  readonly limiter: RateLimiter | undefined;
  readonly log: RequestLog;
}

/** A request of somebody, as its handler gets it. */
export interface Call {
  readonly request: Request;
  readonly caller: Caller;
  /** Aborts when the client has gone before its answer was out. */
  readonly signal: AbortSignal;
}

/** What a handler answers; `role` is what it published. */
export type Outcome = (Answer & { readonly role?: RoleId }) | AnyRefusal;
