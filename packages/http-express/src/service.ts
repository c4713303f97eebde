import { type Duration, minutes, seconds, type UseCases } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Views } from '@pinfold/core/views';
import {
  type ClientAddress,
  type CreateGrant,
  type PublicUrl,
  publicUrl,
  RequestLimiter,
  type RequestLog,
  type RequestRate,
  Uploads,
} from '@pinfold/http';
import {
  type BodyLimits,
  consoleLog,
  type DrainLimits,
  socketAddress,
  withoutAdministration,
} from '@pinfold/http/internal';
import type { Request } from 'express';
import type { Authenticate } from './authentication.ts';
import type { Offered } from './endpoint.ts';
import { administrationDocument, openApiDocument } from './openapi/document.ts';
import { ServedDocument } from './openapi/served-document.ts';
import { type SignIn, signInWords } from './sign-in.ts';

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

/** Times that tests may want shorter. */
export interface ApiTimeouts {
  /** The longest silence within a body before 408: 30 seconds. */
  readonly idle: Duration;
  /** The longest a body may take in all before 408: 15 minutes. */
  readonly total: Duration;
  /** How long the rest of a body is read after an early answer, before the connection closes: 30 seconds. */
  readonly drain: Duration;
}

/** Options of {@link createApi}. */
export interface ApiOptions {
  /** What the endpoints call. */
  readonly useCases: ApiUseCases;
  /** Absent: `/api/v1/events` is not offered. */
  readonly history?: History;
  /** Absent: `include=views` is not offered. */
  readonly views?: Pick<Views, 'of'>;
  /** Pass `viewer.createGrant`. Absent: `/api/v1/pins/{id}/grants` is not offered. */
  readonly createGrant?: CreateGrant;
  /**
   * Offers `/admin/v1` and `/admin/openapi.json` to callers of the scope `admin`. Absent: it is not offered, and the scope is removed from callers,
   * which is logged once.
   */
  readonly administration?: Administration;
  /** The public address, under which the router is mounted and sites are shared: `https://share.example`. */
  readonly publicUrl: string;
  /** Finds out whose request it is. */
  readonly authenticate: Authenticate;
  /** How 401, 403 and the API document describe your own sign-in. Absent: they describe API keys. */
  readonly signIn?: SignIn;
  /** Takes one entry a request, after its answer. Default: faults go to `console.error`. */
  readonly log?: RequestLog;
  /** The client's address that the history stores; absent: none. */
  readonly historyAddress?: (request: Request) => string;
  /**
   * How many requests an account may send to this process: one rate for all, or by caller. One that was set for the
   * account goes before it. Null and absent: any number. A change costs ten.
   */
  readonly requestRate?: RequestRate;
  /** Counts the requests. Give the doors of a process the same one; absent, the API has its own. */
  readonly requestLimiter?: RequestLimiter;
  /** The client's address, by which wrong keys are counted, as far as proxies are trusted. Default: the socket's. */
  readonly clientAddress?: ClientAddress;
  /** Bounds the uploads that are received at the same time: 64, unless other doors of the process share one. */
  readonly uploads?: Uploads;
  /** Times that differ from the defaults. */
  readonly timeouts?: Partial<ApiTimeouts>;
}

const DEFAULT_TIMEOUTS: ApiTimeouts = { idle: seconds(30), total: minutes(15), drain: seconds(30) };

/** The options of the API, and what is made of them. */
export interface Service
  extends Omit<ApiOptions, 'publicUrl' | 'requestRate' | 'requestLimiter' | 'clientAddress' | 'timeouts'> {
  readonly offered: Offered;
  readonly documents: { readonly api: ServedDocument; readonly administration: ServedDocument };
  readonly publicUrl: PublicUrl;
  readonly bodyTimeouts: Pick<BodyLimits, 'idle' | 'total'>;
  readonly drain: DrainLimits;
  readonly uploads: Uploads;
  readonly requests: {
    readonly limiter: RequestLimiter;
    readonly rate: RequestRate;
    readonly clientAddress: ClientAddress;
  };
  readonly log: RequestLog;
  /** Texts about sign-in, if callers do not use API keys. */
  readonly words: ReturnType<typeof signInWords> | undefined;
}

/** @throws TypeError for options that are wrong. */
export function serviceOf(options: ApiOptions): Service {
  const { history, views, createGrant, administration, authenticate, signIn } = options;
  if (typeof authenticate !== 'function') throw new TypeError('authenticate must be a function');
  const { clock, limits } = options.useCases;
  const { drain, ...bodyTimeouts } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const offered = {
    history: history !== undefined,
    views: views !== undefined,
    grants: createGrant !== undefined,
  };
  const described = { publicUrl: options.publicUrl, limits, signIn, ...offered };
  return {
    ...options,
    offered,
    documents: {
      api: new ServedDocument(() => openApiDocument(described)),
      administration: new ServedDocument(() => administrationDocument(described)),
    },
    publicUrl: publicUrl(options.publicUrl),
    authenticate: administration === undefined ? withoutAdministration(authenticate) : authenticate,
    bodyTimeouts,
    drain: { clock, time: drain },
    uploads: options.uploads ?? new Uploads({ clock }),
    requests: {
      limiter: options.requestLimiter ?? new RequestLimiter(),
      rate: options.requestRate ?? null,
      clientAddress: options.clientAddress ?? socketAddress,
    },
    log: options.log ?? consoleLog,
    words: signIn && signInWords(signIn),
  };
}
