import type { Grant, Publication, VisibleRole } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { type Answered, type Exchange, isGetOrHead, type ViewerContext } from '../exchange.ts';
import {
  CROSS_ORIGIN,
  CROSS_ORIGIN_NO_REFERRER,
  sendCookiesPage,
  sendForbiddenLine,
  sendMethodNotAllowed,
  sendNotAdmitted,
  sendOutsidePage,
  sendRedirect,
  sendStopped,
} from '../pages/answers.ts';
import { redirectIntoSite } from '../routing/addresses.ts';
import { isDocument, isServiceWorker } from '../routing/destination.ts';
import { hasCookieMark, returnQuery, withoutCookieMark } from '../routing/return-path.ts';
import type { PathPlace } from '../routing/route.ts';
import { decodePath, encodeRawBytes, splitTarget } from '../routing/target.ts';
import { SiteFiles, serveSite } from '../sending/sites.ts';

export async function serveSitePath(
  exchange: Exchange,
  { role: id, idText, inside }: PathPlace,
): Promise<Answered> {
  const { request, context } = exchange;
  const { useCases, settings } = context;
  if (id === null) return sendOutsidePage(exchange);
  if (!isGetOrHead(request)) return sendMethodNotAllowed(exchange, 'GET, HEAD', CROSS_ORIGIN_NO_REFERRER);
  if (id !== idText) {
    // Redirects to the canonical spelling of the id.
    const location = sharedUrl(settings.publicUrl, id) + encodeRawBytes(inside);
    return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, CROSS_ORIGIN);
  }
  const visit = await useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind, CROSS_ORIGIN_NO_REFERRER);
  if (settings.serviceWorkers === 'refuse' && isServiceWorker(request.headers)) {
    return sendForbiddenLine(exchange, 'service_worker', CROSS_ORIGIN_NO_REFERRER);
  }
  const { publication } = visit;
  if (context.access.isOpen(publication)) return serveOpen(exchange, publication, inside);
  return serveProtected(exchange, visit, inside);
}

async function serveOpen(exchange: Exchange, publication: Publication, inside: string): Promise<Answered> {
  exchange.allowsCors = true;
  const { context } = exchange;
  const base = sharedUrl(context.settings.publicUrl, publication.id);
  const { token, path } = splitToken(inside);
  // The URL has a token from a time when the site was protected.
  if (TOKEN.test(token) && !(await hasFolder(context, publication, token))) {
    const location = base + encodeRawBytes(withoutCookieMark(path));
    return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, CROSS_ORIGIN);
  }
  const place = { base: () => base, referrer: 'same-origin', more: CROSS_ORIGIN } as const;
  const outcome = await serveSite(exchange, publication, splitTarget(inside), place);
  return 'kind' in outcome ? sendStopped(exchange, outcome.kind, CROSS_ORIGIN_NO_REFERRER) : outcome;
}

/** A document needs the cookie of the shared URL and a token of the same viewer; any other file needs only the token. */
async function serveProtected(exchange: Exchange, shown: VisibleRole, inside: string): Promise<Answered> {
  const { publication } = shown;
  const { context, request } = exchange;
  const { token, path } = splitToken(inside);
  const pathGrant = await context.grants.admit(shown, 'path', token);
  const redirect = isDocument(request.headers)
    ? await redirectDocument(exchange, shown, inside, pathGrant)
    : undefined;
  if (redirect !== undefined) return redirect;
  if (pathGrant === undefined) return sendNotAdmitted(exchange, CROSS_ORIGIN_NO_REFERRER);
  const base = `${sharedUrl(context.settings.publicUrl, publication.id)}/~${token}`;
  const place = { base: () => base, referrer: 'no-referrer', more: CROSS_ORIGIN } as const;
  const outcome = await serveSite(exchange, publication, splitTarget(path), place);
  return 'kind' in outcome ? sendStopped(exchange, outcome.kind, CROSS_ORIGIN_NO_REFERRER) : outcome;
}

/** Redirects a document that lacks the cookie of the shared URL, or a token of its viewer. */
async function redirectDocument(
  exchange: Exchange,
  shown: VisibleRole,
  inside: string,
  pathGrant: Grant | undefined,
): Promise<Answered | undefined> {
  const { publication } = shown;
  const { context, request } = exchange;
  const { token, path, hasSlash } = splitToken(inside);
  if (hasCookieMark(path)) return checkCookie(exchange, publication, inside);
  const sharedUrlGrant = await context.grants.findForSharedUrl(shown, request.headers.cookie);
  if (sharedUrlGrant === undefined) {
    const location = sharedUrl(context.settings.publicUrl, publication.id) + returnQuery(path);
    return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, CROSS_ORIGIN);
  }
  const isAdmitted = pathGrant !== undefined && pathGrant.viewer?.id === sharedUrlGrant.viewer?.id;
  if (isAdmitted && hasSlash) return undefined;
  // A folder of the site may look like a token; without a token there is nothing to look up.
  const isFolder = !isAdmitted && token !== '' && (await hasFolder(context, publication, token));
  const redirect = await redirectIntoSite(context, publication, sharedUrlGrant, isFolder ? inside : path);
  return sendRedirect(exchange, { status: 302, ...redirect }, CROSS_ORIGIN);
}

/** Answers the request after a redirect that set a cookie. Without a cookie, explains cookies; otherwise removes the mark. */
function checkCookie(exchange: Exchange, { id }: Publication, inside: string): Answered {
  const { request, context } = exchange;
  if (context.grants.sharedUrlTokens(request.headers.cookie).length === 0) {
    return sendCookiesPage(exchange, id, splitToken(inside).path, CROSS_ORIGIN_NO_REFERRER);
  }
  const location = sharedUrl(context.settings.publicUrl, id) + encodeRawBytes(withoutCookieMark(inside));
  return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, CROSS_ORIGIN);
}

interface TokenPath {
  /** Empty if the path has none. */
  readonly token: string;
  /** The path inside the site, with its query. */
  readonly path: string;
  /** Whether a slash follows the token; relative links need it. */
  readonly hasSlash: boolean;
}

/** Matches `/~{token}`, and also a folder whose name begins with a tilde. */
const TOKEN_PATH = /^\/~([^/?]+)(.*)/s;
/** Folders hardly ever have names of the length of a token. */
const TOKEN = /^[\w.-]{40,512}$/;

/** Splits the token, which may be invalid, off the beginning of a path. */
function splitToken(inside: string): TokenPath {
  const [, token = '', rest = inside] = TOKEN_PATH.exec(inside) ?? [];
  const hasSlash = rest.startsWith('/');
  return { token, path: hasSlash ? rest : `/${rest}`, hasSlash };
}

/** Whether the site has a folder of the name `~{name}`. Call only for viewers who may see the site. */
async function hasFolder({ sites }: ViewerContext, publication: Publication, name: string): Promise<boolean> {
  const loaded = await sites.load(publication);
  const folder = `~${decodePath(name) ?? ''}/`;
  return loaded instanceof SiteFiles && loaded.manifest.entries.some(({ path }) => path.startsWith(folder));
}
