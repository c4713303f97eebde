import { type Duration, minutes, seconds } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Views } from '@pinfold/core/views';
import {
  type ClientAddress,
  type CreateGrant,
  publicUrl,
  RequestLimiter,
  type RequestLog,
  type RequestRate,
  Uploads,
} from '@pinfold/http';
import {
  consoleLog,
  pathOf,
  socketAddress,
  takeRequest,
  withoutAdministration,
} from '@pinfold/http/internal';
import { type Request, Router } from 'express';
import { admitAccount, admitAnyone, admitOperator } from './admission.ts';
import type { Authenticate } from './authentication.ts';
import { readAdminDocument, readDocument } from './endpoints/documents.ts';
import { endpoints, operatorEndpoints } from './endpoints/index.ts';
import { administrationDocument, openApiDocument } from './openapi/document.ts';
import { ServedDocument } from './openapi/served-document.ts';
import { Routes } from './routes.ts';
import { answerNothing, serve } from './serve.ts';
import type { ApiUseCases, Service } from './service.ts';
import { type SignIn, signInWords } from './sign-in.ts';

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

/**
 * The API as an Express router, to be mounted where `publicUrl` leads, before any parser of bodies. It answers
 * everything under `/api/`, whose only version is `/api/v1`, and `/openapi.json`; with `administration`, also `/admin/v1`
 * and `/admin/openapi.json`. Other paths are passed on. Mount routes of your own under `/api/` before it.
 *
 * @throws TypeError when `publicUrl` is no http or https URL, or `authenticate` is no function.
 * @example
 * import type { UseCases } from '@pinfold/core';
 * import { type Authenticate, createApi } from '@pinfold/http-express';
 * import express from 'express';
 *
 * declare const useCases: UseCases;
 * declare const authenticate: Authenticate;
 *
 * const app = express();
 * app.use(createApi({ useCases, publicUrl: 'https://share.example', authenticate }));
 */
export function createApi(options: ApiOptions): Router {
  const service = serviceOf(options);
  const { publicUrl, offered } = service;
  const operator = { routes: new Routes(operatorEndpoints, offered), admit: admitOperator };
  const areas = {
    api: { base: '/api/v1', routes: new Routes(endpoints, offered), admit: admitAccount, logsRoles: true },
    administration: { ...operator, base: '/admin/v1' },
    administrationDocument: { ...operator, base: '' },
    document: { base: '', routes: new Routes([readDocument], offered), admit: admitAnyone },
  } as const;
  const router = Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    expectMounted(request, pathOf(publicUrl));
    takeRequest(request, response, next);
  });
  router.use('/api/v1', (request, response) => serve(service, areas.api, request, response));
  router.use('/api', (request, response) => answerNothing(service, request, response));
  if (service.administration !== undefined) {
    router.use('/admin/v1', (request, response) => serve(service, areas.administration, request, response));
    router.all(readAdminDocument.path, (request, response) =>
      serve(service, areas.administrationDocument, request, response),
    );
  }
  router.all(readDocument.path, (request, response) => serve(service, areas.document, request, response));
  return router;
}

/** Throws if the API is mounted elsewhere: requests meant for it would reach other handlers. */
function expectMounted({ baseUrl, originalUrl }: Request, path: string): void {
  if (baseUrl === path || !/^\/(?:api\/|openapi\.json$)/.test(below(originalUrl, path))) return;
  const [is, meant] = [baseUrl === '' ? '/' : baseUrl, path === '' ? '/' : path];
  throw new Error(`The API is mounted at ${is}: mount it at ${meant}, where publicUrl leads.`);
}

function below(url: string, path: string): string {
  return url.startsWith(path) ? url.slice(path.length) : '';
}

function serviceOf(options: ApiOptions): Service {
  const {
    useCases,
    history,
    views,
    createGrant,
    administration,
    historyAddress,
    authenticate,
    log = consoleLog,
    requestRate = null,
  } = options;
  if (typeof authenticate !== 'function') throw new TypeError('authenticate must be a function');
  const { clock } = useCases;
  const { drain, ...bodyTimeouts } = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const offered = {
    history: history !== undefined,
    views: views !== undefined,
    grants: createGrant !== undefined,
  };
  const { limits } = useCases;
  const described = { publicUrl: options.publicUrl, limits, signIn: options.signIn, ...offered };
  return {
    useCases,
    history,
    views,
    createGrant,
    administration,
    historyAddress,
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
      rate: requestRate,
      clientAddress: options.clientAddress ?? socketAddress,
    },
    log,
    words: options.signIn && signInWords(options.signIn),
  };
}
