import { type Duration, minutes, seconds, type UseCases } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Views } from '@pinfold/core/views';
import {
  type CreateGrant,
  type DoorOptions,
  type OpenArchive,
  type PublicUrl,
  publicUrl,
} from '@pinfold/http';
import {
  type BodyLimits,
  type DrainLimits,
  doorOf,
  type Filled,
  withoutAdministration,
} from '@pinfold/http/internal';
import type { Request } from 'express';
import type { Authenticate } from './authentication.ts';
import type { Offered } from './endpoint.ts';
import { ServedDocument } from './endpoints/documents.ts';
import { agentGuide } from './openapi/agent-guide.ts';
import { administrationDocument, openApiDocument } from './openapi/document.ts';
import { type SignIn, signInWords } from './sign-in.ts';

/** The use cases without those that only the viewer and the screen call. */
export type ApiUseCases = Omit<
  UseCases,
  | 'createGrant'
  | 'enter'
  | 'grants'
  | 'open'
  | 'openArchive'
  | 'pin'
  | 'unpin'
  | 'updateSeen'
  | 'visit'
  | 'visitName'
>;

/** Timeouts, which tests may shorten. */
export interface ApiTimeouts {
  /** The longest time without a byte of a body; then 408. Default 30 seconds. */
  readonly idle: Duration;
  /** The longest total time for a body; then 408. Default 15 minutes. */
  readonly total: Duration;
  /** How long the rest of a body is read after an early answer, before the connection closes. Default 30 seconds. */
  readonly drain: Duration;
}

/** Options of {@link createApi}. */
export interface ApiOptions extends DoorOptions {
  /** The use cases and parts that the endpoints call. */
  readonly useCases: ApiUseCases;
  /** Absent: `/api/v1/events` is not offered. */
  readonly history?: History | undefined;
  /** Absent: `include=views` is not offered. */
  readonly views?: Pick<Views, 'of'> | undefined;
  /** Pass `viewer.createGrant`. Absent: `/api/v1/pins/{id}/grants` is not offered. */
  readonly createGrant?: CreateGrant | undefined;
  /** Pass `viewer.openArchive`. Absent: `/api/v1/pins/{id}/archive` is not offered. */
  readonly openArchive?: OpenArchive | undefined;
  /** Offers `/admin/v1` and its document to the scope `admin`. Absent: callers lose that scope, with one warning. */
  readonly administration?: Administration | undefined;
  /** The public address, at which the router is mounted and sites are shared: `https://share.example`. */
  readonly publicUrl: string;
  /** Identifies the caller of a request. */
  readonly authenticate: Authenticate;
  /** How 401, 403 and the API document describe your own sign-in. Absent: they describe API keys. */
  readonly signIn?: SignIn | undefined;
  /** Returns the client address that the history stores. Absent: it stores none. */
  readonly historyAddress?: ((request: Request) => string) | undefined;
  /** Timeouts that differ from the defaults. */
  readonly timeouts?: Partial<ApiTimeouts> | undefined;
}

const JSON_TYPE = 'application/json; charset=utf-8';

const DEFAULT_TIMEOUTS: ApiTimeouts = { idle: seconds(30), total: minutes(15), drain: seconds(30) };

export interface Service
  extends Omit<ApiOptions, keyof DoorOptions | 'publicUrl' | 'timeouts'>,
    Filled<DoorOptions> {
  readonly offered: Offered;
  readonly documents: Readonly<Record<'api' | 'administration' | 'agentGuide', ServedDocument>>;
  readonly publicUrl: PublicUrl;
  readonly bodyTimeouts: Pick<BodyLimits, 'idle' | 'total'>;
  readonly drain: DrainLimits;
  /** Texts about sign-in, if callers do not use API keys. */
  readonly words: ReturnType<typeof signInWords> | undefined;
}

/** @throws TypeError for invalid options. */
export function serviceOf(options: ApiOptions): Service {
  const { history, views, createGrant, openArchive, administration, authenticate, signIn } = options;
  if (typeof authenticate !== 'function') throw new TypeError('authenticate must be a function');
  const { clock, limits } = options.useCases;
  const { drain, ...bodyTimeouts } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const offered = {
    history: history !== undefined,
    views: views !== undefined,
    grants: createGrant !== undefined,
    archives: openArchive !== undefined,
  };
  const url = publicUrl(options.publicUrl);
  const described = { publicUrl: options.publicUrl, limits, signIn, ...offered };
  return {
    ...options,
    ...doorOf(options, clock),
    offered,
    documents: {
      api: new ServedDocument(() => JSON.stringify(openApiDocument(described)), JSON_TYPE),
      administration: new ServedDocument(() => JSON.stringify(administrationDocument(described)), JSON_TYPE),
      agentGuide: new ServedDocument(() => agentGuide(url, limits, signIn), 'text/plain; charset=utf-8'),
    },
    publicUrl: url,
    authenticate: administration === undefined ? withoutAdministration(authenticate) : authenticate,
    bodyTimeouts,
    drain: { clock, time: drain },
    words: signIn && signInWords(signIn),
  };
}
