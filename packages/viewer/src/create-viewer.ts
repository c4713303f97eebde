import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFault } from '@pinfold/core';
import {
  type CreateGrant,
  consoleLog,
  hasSeveralHosts,
  hasTooManyCookies,
  type RequestEntry,
  stripInherited,
  takeRequest,
  thrown,
} from '@pinfold/http';
import { byPassword, byTeam } from './access/access.ts';
import { Grants, grantCreator } from './access/grants.ts';
import { serveSharedUrl } from './access/shared-url.ts';
import { serveSiteOrigin } from './access/site-origin.ts';
import { serveSitePath } from './access/site-path.ts';
import { countView } from './counting.ts';
import type { Exchange } from './exchange.ts';
import { sendPlainPage, sendTooManyCookies, sendUnavailable } from './pages/answers.ts';
import { findPlace, type Place, UNREADABLE } from './routing/route.ts';
import { Bodies, type BodyTools } from './sending/bodies.ts';
import { StoragePatience } from './sending/circuit-breaker.ts';
import { InflatingTurns } from './sending/fair-queue.ts';
import { filePolicies } from './sending/file-policies.ts';
import { Sites } from './sending/sites.ts';
import { TryLater } from './sending/unavailable-error.ts';
import type { ViewerContext } from './viewer-context.ts';
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
  const take: Answers = (request, response, next) => {
    const place = findPlace(context.settings, request);
    if (place.kind === 'nowhere' && next !== undefined) return next();
    if (place.route !== 'shared_url') stripInherited(response);
    void answer(options, context, { request, response }, hasSeveralHosts(request) ? UNREADABLE : place);
  };
  const viewer: Answers = (request, response, next) => {
    if (context.settings.mode === 'origin') expectRoot(request);
    takeRequest(request, response, () => take(request, response, next));
  };
  return Object.assign(viewer, { createGrant: grantCreator(context) });
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
    patience: new StoragePatience(useCases.clock),
    turns: new InflatingTurns(inflating, inflatingQueue),
    mostHeld: heldBytes,
  };
  const sites = new Sites(useCases.open, siteCacheBytes);
  const bodies = new Bodies(tools, cacheBytes);
  options.figures?.({ bodies: bodies.figures, sites: sites.figures, inflations: tools.turns });
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

/** An entry whose outcome and error are added only where there are any. */
type ViewEntry = Omit<RequestEntry, 'outcome' | 'error'> & { outcome?: string; error?: unknown };

/** Sends an answer, also after a failure, and logs it. */
async function answer(
  { log = consoleLog, requestId = () => randomUUID() }: ViewerOptions,
  context: ViewerContext,
  exchange: Exchange,
  place: Place,
): Promise<void> {
  const { request, response } = exchange;
  const { counter } = context;
  let broken: unknown;
  const id = requestId(request);
  // The clock of the service counts whole milliseconds, and most views take less than one.
  const begun = performance.now();
  response.on('close', () => {
    if (counter !== undefined && place.role !== null) countView(counter, exchange, place.role);
    const entry: ViewEntry = {
      requestId: id,
      method: request.method ?? '',
      route: place.route,
      role: place.role,
      status: response.headersSent ? response.statusCode : LEFT,
      milliseconds: Math.round((performance.now() - begun) * 1_000) / 1_000,
    };
    // Added where there are any: spreading them in, or a getter for the id, costs each view more.
    if (exchange.refused !== undefined) entry.outcome = exchange.refused;
    if (broken !== undefined) entry.error = broken;
    log(entry, request);
  });
  try {
    await serve(context, exchange, place);
  } catch (error) {
    broken = error instanceof TryLater ? error.cause : thrown(error);
    sendFailure(exchange, error);
  }
}

/** The status in the log of a viewer who left before there was an answer. */
const LEFT = 499;

function serve(context: ViewerContext, exchange: Exchange, place: Place): Promise<void> | void {
  const { clearCookies } = context.settings;
  switch (place.kind) {
    case 'unreadable':
      return sendPlainPage(exchange, 400, 'bad_request');
    case 'astray':
      return sendPlainPage(exchange, 421, 'misdirected');
    case 'nowhere':
      return hasTooManyCookies(exchange.request)
        ? sendTooManyCookies(exchange, clearCookies)
        : sendPlainPage(exchange, 404, 'not_found');
    case 'origin':
      return serveSiteOrigin(context, exchange, place);
    case 'path':
      return serveSitePath(context, exchange, place);
    case 'shared':
      return serveSharedUrl(context, exchange, place);
    default:
      return place satisfies never;
  }
}

function sendFailure(exchange: Exchange, error: unknown): void {
  if (exchange.response.headersSent) exchange.response.destroy();
  else if (error instanceof TryLater) sendUnavailable(exchange, error.seconds);
  else if (isFault(error) && error.retryable) sendUnavailable(exchange);
  else sendPlainPage(exchange, 500, 'internal_error');
}
