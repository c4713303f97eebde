import type { UseCases } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Views } from '@pinfold/core/views';
import type {
  ClientAddress,
  CreateGrant,
  PublicUrl,
  RequestLimiter,
  RequestLog,
  RequestRate,
  Uploads,
} from '@pinfold/http';
import type { BodyLimits, DrainLimits } from '@pinfold/http/internal';
import type { Request } from 'express';
import type { Authenticate } from './authentication.ts';
import type { Offered } from './endpoint.ts';
import type { ServedDocument } from './openapi/served-document.ts';
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
  | 'names'
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
  readonly createGrant: CreateGrant | undefined;
  readonly administration: Administration | undefined;
  /** Which of the above it has. */
  readonly offered: Offered;
  readonly documents: { readonly api: ServedDocument; readonly administration: ServedDocument };
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
  /** Texts about sign-in, if callers do not use API keys. */
  readonly words: ReturnType<typeof signInWords> | undefined;
}
