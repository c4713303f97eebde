import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { isFault } from '@pinfold/core';
import { Gate } from '@pinfold/core/adapter';
import type { CreateGrant } from '@pinfold/http';
import {
  consoleLog,
  hasSeveralHosts,
  hasTooManyCookies,
  requestEntry,
  stripInherited,
  takeRequest,
  thrown,
} from '@pinfold/http/internal';
import { byPassword, byTeam } from './access/access.ts';
import { Grants, grantCreator } from './access/grants.ts';
import { serveName } from './access/named-url.ts';
import { serveSharedUrl } from './access/shared-url.ts';
import { serveSiteOrigin } from './access/site-origin.ts';
import { serveSitePath } from './access/site-path.ts';
import { ANSWERED, type Answered, type Exchange, type Soon, type ViewerContext } from './exchange.ts';
import { sendPlainPage, sendTooManyCookies, sendUnavailable } from './pages/answers.ts';
import { findPlace, type Place, UNREADABLE } from './routing/route.ts';
import { Bodies, type BodyTools } from './sending/bodies.ts';
import { CircuitBreaker, UnavailableError } from './sending/circuit-breaker.ts';
import { FROM_ANYWHERE_UNNAMED, filePolicies } from './sending/file-policies.ts';
import { isDocument } from './sending/find-file.ts';
import { Sites } from './sending/sites.ts';
import {
  DEFAULT_BOUNDS,
  DEFAULT_CACHE_BYTES,
  DEFAULT_SITE_CACHE_BYTES,
  settingsOf,
  type ViewerOptions,
} from './viewer-options.ts';

/** Answers shared URLs and sites; anything else is passed to `next`, or answered with a 404 page without one. */
export interface Viewer {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /** For `createApi`, `createManagement` and code of yours. Refuses as `forbidden` where `access` decides who may look. */
  readonly createGrant: CreateGrant;
}

/**
 * Makes a handler that serves shared URLs and sites. It mounts at the root of an Express app,
 * before its other routes, or stands alone: `createServer(viewer)`.
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
  const context = contextOf(options);
  const { log = consoleLog, requestId = newRequestId } = options;
  const logging = { log, requestId };
  const take: Answers = (request, response, next) => {
    const place = findPlace(context.settings, request);
    if (place.kind === 'nowhere' && next !== undefined) return next();
    if (place.route !== 'shared_url') stripInherited(response);
    answer(logging, { request, response, context }, hasSeveralHosts(request) ? UNREADABLE : place);
  };
  const viewer: Answers = (request, response, next) => {
    if (context.settings.mode === 'origin') expectRoot(request);
    takeRequest(request, response, () => take(request, response, next));
  };
  return Object.assign(viewer, { createGrant: grantCreator(context) });
}

/** Seconds of `Retry-After` when too many files wait to be inflated. */
const BUSY_FOR = 2;

/** Random for each process, with a count at its end: `randomUUID` for each view would cost it half a microsecond. */
const IDS = randomUUID().slice(0, 24);
let ids = 0;

function newRequestId(): string {
  ids += 1;
  return IDS + String(ids).padStart(12, '0');
}

type Answers = (...input: Parameters<Viewer>) => void;

/** Below a path, an app hands on only what begins with it. */
function expectRoot(request: IncomingMessage): void {
  const mount = 'baseUrl' in request ? request.baseUrl : '';
  if (mount === '') return;
  throw new Error(
    `The viewer is mounted at ${mount}: mount it at the root, or sites on hosts of their own never reach it.`,
  );
}

function contextOf(options: ViewerOptions): ViewerContext {
  const { useCases, cacheBytes = DEFAULT_CACHE_BYTES, siteCacheBytes = DEFAULT_SITE_CACHE_BYTES } = options;
  const settings = settingsOf(options);
  const { inflating, inflatingQueue, heldBytes } = { ...DEFAULT_BOUNDS, ...options.bounds };
  const tools: BodyTools = {
    open: useCases.open,
    breaker: new CircuitBreaker(useCases.clock),
    turns: new Gate({
      places: inflating,
      queue: inflatingQueue,
      overloaded: () => new UnavailableError(BUSY_FOR),
    }),
    mostHeld: heldBytes,
  };
  const sites = new Sites(useCases.open, siteCacheBytes);
  const bodies = new Bodies(tools, cacheBytes);
  options.figures?.({ bodies, sites, inflations: tools.turns });
  const access = options.access === undefined ? byPassword : byTeam(options.access, settings.publicUrl);
  return {
    settings,
    useCases,
    access,
    grants: new Grants(useCases, access, settings),
    sites,
    bodies,
    tools,
    policies: filePolicies(settings.mode, access.tellsApart),
    counter: options.counter,
  };
}

interface Settled extends Answered {
  readonly error?: unknown;
}

function answer(
  { log, requestId }: Required<Pick<ViewerOptions, 'log' | 'requestId'>>,
  exchange: Exchange,
  place: Place,
): void {
  const { request, response, context } = exchange;
  const id = requestId(request);
  // The clock of the service counts whole milliseconds, and most views take less than one.
  const begun = performance.now();
  let status: number | undefined;
  let milliseconds = 0;
  let settled: Settled | undefined;
  const end = (): void => {
    if (status === undefined || settled === undefined) return;
    const { role, route } = place;
    if (settled.isPage && role !== null && isView(exchange, status)) context.counter?.viewed(role);
    const { outcome, error } = settled;
    const method = request.method ?? '';
    log(requestEntry({ requestId: id, method, route, role, status, milliseconds, outcome, error }), request);
  };
  response.on('close', () => {
    milliseconds = Math.round((performance.now() - begun) * 1_000) / 1_000;
    status = response.headersSent ? response.statusCode : LEFT;
    // Logs a viewer who left before the answer at once: the work begun for them may take long.
    if (!response.headersSent) settled ??= ANSWERED;
    end();
  });
  const settle = (answered: Settled): void => {
    if (settled !== undefined) return;
    settled = answered;
    end();
  };
  const failed = (error: unknown): Settled => {
    const cause = error instanceof UnavailableError ? error.cause : thrown(error);
    return { ...sendFailure(exchange, error), error: cause };
  };
  let served: Soon<Settled>;
  try {
    served = serve(exchange, place);
  } catch (error) {
    served = failed(error);
  }
  if (served instanceof Promise) void served.catch(failed).then(settle);
  else settle(served);
}

/** Whether an answer with a page of the site is a view: a browser opened the page by navigation. */
function isView({ request }: Exchange, status: number): boolean {
  return request.method === 'GET' && (status === 200 || status === 304) && isDocument(request.headers);
}

/** The status in the log of a viewer who left before there was an answer. */
const LEFT = 499;

function serve(exchange: Exchange, place: Place): Soon<Answered> {
  if (place.kind === 'unreadable') return sendPlainPage(exchange, 400, 'bad_request');
  if (place.kind === 'misdirected') return sendPlainPage(exchange, 421, 'misdirected');
  if (hasTooManyCookies(exchange.request)) {
    return sendTooManyCookies(exchange, place.kind === 'path' ? FROM_ANYWHERE_UNNAMED : {});
  }
  switch (place.kind) {
    case 'nowhere':
      return sendPlainPage(exchange, 404, 'not_found');
    case 'origin':
      return serveSiteOrigin(exchange, place);
    case 'path':
      return serveSitePath(exchange, place);
    case 'name':
      return serveName(exchange, place);
    case 'shared':
      return serveSharedUrl(exchange, place);
    default:
      return place satisfies never;
  }
}

function sendFailure(exchange: Exchange, error: unknown): Answered {
  if (exchange.response.headersSent) {
    exchange.response.destroy();
    return ANSWERED;
  }
  if (error instanceof UnavailableError) return sendUnavailable(exchange, error.seconds);
  if (isFault(error) && error.retryable) return sendUnavailable(exchange);
  return sendPlainPage(exchange, 500, 'internal_error');
}
