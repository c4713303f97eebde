import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { type Ended, isFault } from '@pinfold/core';
import { Semaphore } from '@pinfold/core/adapter';
import { parseNameSegment } from '@pinfold/core/internal';
import type { CreateGrant, OpenArchive } from '@pinfold/http';
import {
  type Arrival,
  consoleLog,
  type Door,
  EndedMeanwhile,
  followRequest,
  hasSeveralHosts,
  hasTooManyCookies,
  requireNodeRequest,
  rewriteToOriginForm,
  runInRequestOrder,
  stripInherited,
  UnavailableError,
} from '@pinfold/http/internal';
import { byPassword, byViewer } from './access/access.ts';
import { archiveOpener, Grants, grantCreator } from './access/grants.ts';
import { serveName, serveSharedUrl } from './access/shared-url.ts';
import { sendEndedOrigin, serveSiteOrigin } from './access/site-origin.ts';
import { serveSitePath } from './access/site-path.ts';
import {
  ANSWERED,
  type Answered,
  type Exchange,
  type MaybePromise,
  type ViewerContext,
  workTogether,
} from './exchange.ts';
import {
  CROSS_ORIGIN_NO_REFERRER,
  sendOutsidePage,
  sendPlainPage,
  sendStopped,
  sendTooManyCookies,
  sendUnavailable,
} from './pages/answers.ts';
import { findPlace, type Place, UNREADABLE } from './routing/route.ts';
import { isDocument } from './routing/target.ts';
import { Bodies } from './sending/bodies.ts';
import { CircuitBreaker } from './sending/circuit-breaker.ts';
import { filePolicies } from './sending/file-answer.ts';
import type { ReadingTools } from './sending/pieces.ts';
import { Sites } from './sending/sites.ts';
import { settingsOf, type ViewerOptions } from './viewer-options.ts';

/** Answers shared URLs and sites. Passes other requests to `next`, or without one answers them with a 404 page. */
export interface Viewer {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /** For `createApi`, `createManagement` and your own code. Refuses with `forbidden` if `access` decides who may view. */
  readonly createGrant: CreateGrant;
  /** For `createApi` and `createManagement`: a caller who may open a site may download its ZIP. */
  readonly openArchive: OpenArchive;
}

/**
 * Creates a handler that serves shared URLs and sites. Mount it at the root of an Express app, before other routes, or
 * use it alone: `createServer(viewer)`.
 *
 * @throws TypeError when an option is wrong.
 * @example
 * import { createServer } from 'node:http';
 * import type { UseCases } from '@pinfold/core';
 * import { createViewer } from '@pinfold/viewer';
 *
 * declare const useCases: UseCases;
 *
 * const viewer = createViewer({ useCases, publicUrl: 'https://pages.example' });
 * const server = createServer(viewer);
 */
export function createViewer(options: ViewerOptions): Viewer {
  const context = createContext(options);
  const { log = consoleLog } = options;
  const door: Door<View, Answered> = {
    // Most views take less than a millisecond, the resolution of the service's clock.
    now: () => performance.now(),
    work: serve,
    failed: answerFailure,
    ended: (entry, view, outcome) => {
      if (outcome?.isPage && entry.role !== null && isView(view, entry.status))
        context.counter?.viewed(entry.role);
      return log(entry, view.request);
    },
  };
  const answer = (found: Place, request: IncomingMessage, response: ServerResponse): void => {
    const startedAt = door.now();
    workTogether((asyncContext) => {
      try {
        rewriteToOriginForm(request);
        if (found.route !== 'shared_url' && found.route !== 'name') stripInherited(response);
        const place = hasSeveralHosts(request) ? UNREADABLE : found;
        const { route, role } = place;
        const requestId = newRequestId();
        const view = {
          request,
          response,
          context,
          asyncContext,
          place,
          requestId,
          route,
          role,
          begun: startedAt,
        };
        void followRequest(view, door);
      } catch (error) {
        console.error('Pinfold failed to begin its answer:', error);
        response.destroy();
      }
    });
  };
  const viewer: RequestListener = (request, response, next) => {
    if (context.settings.mode === 'origin') requireRoot(request);
    requireNodeRequest(request, response);
    const found = findPlace(context.settings, request);
    if (next !== undefined && !isViewerAddress(found)) next();
    else runInRequestOrder(request, response, () => answer(found, request, response));
  };
  return Object.assign(viewer, { createGrant: grantCreator(context), openArchive: archiveOpener(context) });
}

/** Whether an address has the form of a shared URL or a site's, whether or not that exists. */
function isViewerAddress(place: Place): boolean {
  if (place.kind === 'name') return parseNameSegment(place.segment) !== undefined;
  return (
    place.kind !== 'nowhere' && (place.role !== null || (place.kind !== 'shared' && place.kind !== 'path'))
  );
}

const MiB = 1_048_576;

/** Seconds of `Retry-After` when too many files wait to be inflated. */
const BUSY_RETRY_SECONDS = 2;

/** Random for each process; a counter follows. `randomUUID` for each view would take half a microsecond. */
const REQUEST_ID_PREFIX = randomUUID().slice(0, 24);
let requestCount = 0;

function newRequestId(): string {
  requestCount += 1;
  return REQUEST_ID_PREFIX + String(requestCount).padStart(12, '0');
}

interface View extends Exchange, Arrival {
  readonly place: Place;
}

type RequestListener = (...input: Parameters<Viewer>) => void;

/** Throws if an app has mounted the viewer below a path: the viewer would not receive requests for sites' hosts. */
function requireRoot(request: IncomingMessage): void {
  const mount = 'baseUrl' in request ? request.baseUrl : '';
  // A router without an app sets `baseUrl` to undefined.
  if (mount === '' || mount === undefined) return;
  throw new Error(
    `The viewer is mounted at ${mount}: mount it at the root, or sites on hosts of their own never reach it.`,
  );
}

function createContext(options: ViewerOptions): ViewerContext {
  const { useCases, cacheBytes = 64 * MiB, siteCacheBytes = 32 * MiB } = options;
  const settings = settingsOf(options);
  const { inflating = 2, inflatingQueue = 256 } = options.bounds ?? {};
  const tools: ReadingTools = {
    open: useCases.open,
    breaker: new CircuitBreaker(useCases.clock),
    turns: new Semaphore({
      places: inflating,
      queue: inflatingQueue,
      overloaded: () => new UnavailableError(BUSY_RETRY_SECONDS),
    }),
  };
  const sites = new Sites(useCases.open, siteCacheBytes);
  const bodies = new Bodies(cacheBytes);
  options.statistics?.({ bodies, sites, inflations: tools.turns });
  const access = options.access === undefined ? byPassword : byViewer(options.access, settings.publicUrl);
  return {
    settings,
    useCases,
    access,
    grants: new Grants(useCases, access, settings),
    sites,
    bodies,
    tools,
    policies: filePolicies(settings.mode, access.identifiesViewers),
    counter: options.counter,
  };
}

/** Whether an answer with a page of the site is a view: a browser opened the page by navigation. */
function isView({ request }: Exchange, status: number): boolean {
  return request.method === 'GET' && (status === 200 || status === 304) && isDocument(request.headers);
}

function serve(view: View): MaybePromise<Answered> {
  const { place } = view;
  if (place.kind === 'unreadable') return sendPlainPage(view, 400, 'bad_request');
  if (place.kind === 'misdirected') return sendPlainPage(view, 421, 'misdirected');
  if (place.kind === 'path' && place.role !== null) view.pageHeaders = CROSS_ORIGIN_NO_REFERRER;
  if (hasTooManyCookies(view.request)) return sendTooManyCookies(view);
  switch (place.kind) {
    case 'nowhere':
      return sendOutsidePage(view);
    case 'origin':
      return serveSiteOrigin(view, place);
    case 'path':
      return serveSitePath(view, place);
    case 'name':
      return serveName(view, place);
    case 'shared':
      return serveSharedUrl(view, place);
    default:
      return place satisfies never;
  }
}

function answerFailure(error: unknown, view: View): Answered {
  if (view.signal?.aborted) return ANSWERED;
  if (view.isHeadWritten) {
    view.response.destroy();
    return { error: causeOf(error) };
  }
  if (error instanceof EndedMeanwhile) return sendEnded(view, error.ended.kind);
  return { ...sendFailure(view, error), error: causeOf(error) };
}

function causeOf(error: unknown): unknown {
  return error instanceof UnavailableError ? error.cause : error;
}

/** Answers a view whose publication ended while its files were read. */
function sendEnded(view: View, kind: Ended['kind']): Answered {
  if (view.place.kind === 'origin') return sendEndedOrigin(view, kind);
  view.pageHeaders = CROSS_ORIGIN_NO_REFERRER;
  return sendStopped(view, kind);
}

function sendFailure(view: View, error: unknown): Answered {
  if (error instanceof UnavailableError) return sendUnavailable(view, error.seconds);
  if (isFault(error) && error.retryable) return sendUnavailable(view);
  return sendPlainPage(view, 500, 'internal_error');
}
