import type { Account, Caller, Cause, Credential, Rate, RoleId, UseCases } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Views } from '@pinfold/core/views';
import type {
  Answer,
  BodyLimits,
  ClientAddress,
  DrainLimits,
  PublicUrl,
  RateHeaders,
  RequestLimiter,
  RequestLog,
  RequestRate,
  Uploads,
} from '@pinfold/http';
import type { Request } from 'express';
import type { Authenticate } from './authentication.ts';
import type { AnyRefusal } from './problems/problem.ts';
import type { signInWords } from './sign-in.ts';

/** What the API calls. */
export type ApiUseCases = Pick<
  UseCases,
  | 'accounts'
  | 'check'
  | 'clock'
  | 'findByKey'
  | 'limits'
  | 'limitsOf'
  | 'list'
  | 'mode'
  | 'publish'
  | 'quotasOf'
  | 'read'
  | 'staging'
  | 'stop'
  | 'update'
>;

/** What the API works with. */
export interface Service {
  readonly useCases: ApiUseCases;
  readonly history: History | undefined;
  readonly views: Pick<Views, 'of'> | undefined;
  readonly administration: Administration | undefined;
  readonly publicUrl: PublicUrl;
  readonly authenticate: Authenticate;
  readonly bodyTimeouts: Pick<BodyLimits, 'idle' | 'total'>;
  readonly drain: DrainLimits;
  readonly uploads: Uploads;
  readonly requests: {
    readonly limiter: RequestLimiter;
    readonly rate: RequestRate;
    readonly clientAddress: ClientAddress;
  };
  readonly log: RequestLog;
  readonly historyAddress: ((request: Request) => string) | undefined;
  /** What is said of sign-in, where API keys are not how. */
  readonly words: ReturnType<typeof signInWords> | undefined;
}

/** A request of somebody, as its handler gets it. */
export interface Call {
  readonly request: Request;
  readonly caller: Caller;
  /**
   * Authenticates again where the body did not come with the head. Every operation with a body calls it when the body
   * is in, before it looks at what the body says.
   */
  readonly again: () => Promise<AnyRefusal | undefined>;
  /** What the history tells of what it changes. */
  readonly cause: Cause;
  /** What changes are stored with, so that one made with a revoked key is refused. */
  readonly credential: Credential;
  /** What was known of its account when it came. */
  readonly account: Account | undefined;
  /** The rate of requests in force for it. */
  readonly requestRate: Rate | null;
  readonly rates: RateHeaders;
  /** Aborts when the client has gone before its answer was out. */
  readonly signal: AbortSignal;
}

/** What a handler answers; `role` is what it published. */
export type Outcome = (Answer & { readonly role?: RoleId }) | AnyRefusal;
