import type { Grant, Publication, VisibleRole } from '@pinfold/core';
import { type Answered, type Exchange, isGetOrHead, type ViewerContext } from '../exchange.ts';
import {
  CROSS_ORIGIN,
  sendCookiesPage,
  sendForbiddenLine,
  sendMethodNotAllowed,
  sendNotAdmitted,
  sendOutsidePage,
  sendRedirect,
  sendStopped,
} from '../pages/answers.ts';
import { hasCookieMark, returnQuery, siteBaseOf, withoutCookieMark } from '../routing/addresses.ts';
import type { PathPlace } from '../routing/route.ts';
import { decodePath, isDocument, isServiceWorker, splitTarget } from '../routing/target.ts';
import { serveSite } from '../sending/sites.ts';

export async function serveSitePath(
  exchange: Exchange,
  { role: id, idText, inside }: PathPlace,
): Promise<Answered> {
  const { request, context } = exchange;
  const { useCases, settings } = context;
  if (id === null) return sendOutsidePage(exchange);
  if (!isGetOrHead(request)) return sendMethodNotAllowed(exchange, 'GET, HEAD');
  if (id !== idText) {
    // Redirects to the canonical spelling of the id.
    return sendRedirect(exchange, { location: siteBaseOf(settings, id) + inside });
  }
  const visit = await useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  if (settings.serviceWorkers === 'refuse' && isServiceWorker(request.headers)) {
    return sendForbiddenLine(exchange, 'service_worker');
  }
  const { publication } = visit;
  if (context.access.isOpen(publication)) return serveOpen(exchange, publication, inside);
  return serveProtected(exchange, visit, inside);
}

async function serveOpen(exchange: Exchange, publication: Publication, inside: string): Promise<Answered> {
  exchange.allowsCors = true;
  const { context } = exchange;
  const base = siteBaseOf(context.settings, publication.id);
  const { token, path } = splitToken(inside);
  // The URL has a token from a time when the site was protected.
  if (TOKEN.test(token) && !(await hasFolder(context, publication, token))) {
    return sendRedirect(exchange, { location: base + withoutCookieMark(path) });
  }
  exchange.pageHeaders = CROSS_ORIGIN;
  return serveSite(exchange, publication, splitTarget(inside), base);
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
  if (pathGrant === undefined) return sendNotAdmitted(exchange);
  const base = `${siteBaseOf(context.settings, publication.id)}/~${token}`;
  return serveSite(exchange, publication, splitTarget(path), base);
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
  const base = siteBaseOf(context.settings, publication.id);
  // Whoever has not entered the password must not learn what folders there are: the length alone tells a token.
  const asked = TOKEN.test(token) ? path : inside;
  if (hasCookieMark(path)) {
    // The request after a redirect that set a cookie: explains cookies if there is none, otherwise removes the mark.
    return context.grants.sharedUrlTokens(request.headers.cookie).length === 0
      ? sendCookiesPage(exchange, publication.id, asked)
      : sendRedirect(exchange, { location: base + withoutCookieMark(inside) });
  }
  const sharedUrlGrant = await context.grants.findForSharedUrl(shown, request.headers.cookie);
  if (sharedUrlGrant === undefined) return sendRedirect(exchange, { location: base + returnQuery(asked) });
  const isAdmitted = pathGrant !== undefined && pathGrant.viewer?.id === sharedUrlGrant.viewer?.id;
  if (isAdmitted && hasSlash) return undefined;
  // A folder of the site may look like a token; without a token there is nothing to look up.
  const isFolder = !isAdmitted && token !== '' && (await hasFolder(context, publication, token));
  const returnPath = isFolder ? inside : path;
  return sendRedirect(
    exchange,
    await context.grants.redirectIntoSite(publication, sharedUrlGrant, returnPath),
  );
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
  const { manifest } = await sites.load(publication);
  const folder = `~${decodePath(name) ?? ''}/`;
  return manifest.entries.some(({ path }) => path.startsWith(folder));
}
