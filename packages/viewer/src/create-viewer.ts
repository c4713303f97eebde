import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFault } from '@pinfold/core';
import { hasSeveralHosts, hasTooManyCookies, takeRequest } from '@pinfold/http';
import { sendPlainPage, sendTooManyCookies, sendUnavailable } from './answers.ts';
import { Bodies, type BodyTools } from './bodies.ts';
import { type Exchange, targetOf } from './exchange.ts';
import { filePolicies } from './file-policies.ts';
import { Grants } from './grants.ts';
import { isBelowHost, isHost, siteOfHost } from './host.ts';
import { InflatingTurns } from './inflating-turns.ts';
import { plainPages } from './pages.ts';
import { serveSharedUrl } from './shared-url.ts';
import { serveSiteOrigin } from './site-origin.ts';
import { serveSitePath } from './site-path.ts';
import { Sites } from './sites.ts';
import { StoragePatience } from './storage-patience.ts';
import { splitTarget } from './target.ts';
import { TryLater } from './try-later.ts';
import type { ViewerContext } from './viewer-context.ts';
import {
  DEFAULT_BOUNDS,
  DEFAULT_CACHE_BYTES,
  DEFAULT_SITE_CACHE_BYTES,
  type Settings,
  settingsOf,
  type ViewerLogEntry,
  type ViewerOptions,
} from './viewer-options.ts';

/** Answers shared URLs and sites; anything else is passed to `next`, or answered with a 404 page where there is none. */
export type Viewer = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Makes a handler that serves shared URLs and sites (contract, section 7). It mounts at the root of an Express app,
 * before its other routes, or stands alone: `createServer(viewer)`.
 *
 * @throws TypeError when an option is wrong.
 */
export function createViewer(options: ViewerOptions): Viewer {
  const context = contextOf(options);
  const { settings } = context;
  const prefix = `${settings.publicPath}/s/`;
  const take = (
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): void => {
    const exchange: Exchange = { request, response, route: 'none', role: null };
    const target = targetOf(request);
    if (!target.startsWith('/')) {
      answer(options, exchange, () => sendPlainPage(exchange, 400, plainPages.badRequest));
      return;
    }
    const site =
      settings.mode === 'origin' ? siteOfHost(request.headers.host, settings.sitesHostname) : undefined;
    const isShared = target.startsWith(prefix);
    const isAstray = site === undefined && leadsNowhere(settings, request);
    const isOwn = site !== undefined || isAstray || isShared || next === undefined;
    if (isOwn && hasSeveralHosts(request)) {
      answer(options, exchange, () => sendPlainPage(exchange, 400, plainPages.badRequest));
    } else if (isAstray) {
      answer(options, exchange, () => sendPlainPage(exchange, 421, plainPages.misdirected));
    } else if (site !== undefined) {
      answer(options, exchange, () => serveSiteOrigin(context, exchange, site, target));
    } else if (isShared) {
      answer(options, exchange, () => servePublic(context, exchange, target.slice(prefix.length)));
    } else if (next !== undefined) {
      next();
    } else if (hasTooManyCookies(request)) {
      answer(options, exchange, () => sendTooManyCookies(exchange, settings.clearCookies));
    } else {
      answer(options, exchange, () => sendPlainPage(exchange, 404, plainPages.notFound));
    }
  };
  return (request, response, next) => takeRequest(request, response, () => take(request, response, next));
}

/** Whether a host is the sites' to give, and no site's. Whatever else it showed would be at home among the sites. */
function leadsNowhere(
  { mode, publicHostname, sitesHostname }: Settings,
  { headers }: IncomingMessage,
): boolean {
  return (
    mode === 'origin' && isBelowHost(headers.host, sitesHostname) && !isHost(headers.host, publicHostname)
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
  return {
    settings,
    useCases,
    grants: new Grants(useCases, settings),
    sites: new Sites(useCases.open, siteCacheBytes),
    bodies: new Bodies(tools, cacheBytes),
    tools,
    policies: filePolicies(settings.mode),
  };
}

/** @param rest what follows `/s/`. */
function servePublic(context: ViewerContext, exchange: Exchange, rest: string): Promise<void> {
  const end = rest.search(/[/?]/);
  if (end === -1 || rest[end] === '?') {
    const { path, query } = splitTarget(rest);
    return serveSharedUrl(context, exchange, path, query);
  }
  const id = rest.slice(0, end);
  if (context.settings.mode === 'path') return serveSitePath(context, exchange, id, rest.slice(end));
  return serveSharedUrl(context, exchange, rest, '');
}

/** Sends an answer whatever happens on the way, and tells the log of it. */
function answer(options: ViewerOptions, exchange: Exchange, send: () => Promise<void> | void): void {
  const { log } = options;
  if (log !== undefined) logWhenOver(log, options, exchange);
  void settle(exchange, send);
}

async function settle(exchange: Exchange, send: () => Promise<void> | void): Promise<void> {
  try {
    await send();
  } catch (error) {
    const known = error instanceof TryLater ? error.cause : error;
    if (known !== undefined) exchange.error = known;
    sendFailure(exchange, error);
  }
}

function sendFailure(exchange: Exchange, error: unknown): void {
  if (exchange.response.headersSent) exchange.response.destroy();
  else if (error instanceof TryLater) sendUnavailable(exchange, error.seconds);
  else if (isFault(error) && error.retryable) sendUnavailable(exchange);
  else sendPlainPage(exchange, 500, plainPages.error);
}

/** The status in the log of a viewer who left before there was an answer. */
const LEFT = 499;

function logWhenOver(
  log: (entry: ViewerLogEntry) => void,
  { requestId = () => randomUUID() }: ViewerOptions,
  exchange: Exchange,
): void {
  const { request, response } = exchange;
  const id = requestId(request);
  const begun = performance.now();
  response.on('close', () => {
    const { route, role, error } = exchange;
    log({
      method: request.method ?? '',
      route,
      role,
      status: response.headersSent ? response.statusCode : LEFT,
      milliseconds: Math.round((performance.now() - begun) * 1_000) / 1_000,
      requestId: id,
      ...(error === undefined ? {} : { error }),
    });
  });
}
