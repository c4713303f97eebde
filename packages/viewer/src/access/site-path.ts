import type { Publication, VisibleRole } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { type Answered, type Exchange, isRead, type ViewerContext } from '../exchange.ts';
import {
  FROM_ANYWHERE,
  FROM_ANYWHERE_UNNAMED,
  sendCookiesPage,
  sendForbiddenLine,
  sendMethodNotAllowed,
  sendNotAdmitted,
  sendNowhere,
  sendRedirect,
  sendStopped,
} from '../pages/answers.ts';
import { grantedWay } from '../routing/addresses.ts';
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
  if (id === null) return sendNowhere(exchange);
  if (!isRead(request)) return sendMethodNotAllowed(exchange, 'GET, HEAD', FROM_ANYWHERE_UNNAMED);
  if (id !== idText) {
    const location = sharedUrl(settings.publicUrl, id) + encodeRawBytes(inside);
    return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, FROM_ANYWHERE);
  }
  const visit = await useCases.visit(id);
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind, FROM_ANYWHERE_UNNAMED);
  if (settings.serviceWorkers === 'refuse' && isServiceWorker(request.headers)) {
    return sendForbiddenLine(exchange, 'service_worker', FROM_ANYWHERE_UNNAMED);
  }
  const { publication } = visit;
  if (context.access.isOpen(publication)) return serveOpen(exchange, publication, inside);
  return serveProtected(exchange, visit, inside);
}

async function serveOpen(exchange: Exchange, publication: Publication, inside: string): Promise<Answered> {
  exchange.isOfOpenSite = true;
  const { context } = exchange;
  const base = sharedUrl(context.settings.publicUrl, publication.id);
  const { grant, path } = cutGrant(inside);
  if (SIGNED.test(grant) && !(await hasFolder(context, publication, grant))) {
    const location = base + encodeRawBytes(withoutCookieMark(path));
    return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, FROM_ANYWHERE);
  }
  const place = { base: () => base, referrer: 'same-origin', more: FROM_ANYWHERE } as const;
  const outcome = await serveSite(exchange, publication, splitTarget(inside), place);
  return 'kind' in outcome ? sendStopped(exchange, outcome.kind, FROM_ANYWHERE_UNNAMED) : outcome;
}

async function serveProtected(exchange: Exchange, shown: VisibleRole, inside: string): Promise<Answered> {
  const { publication } = shown;
  const { context } = exchange;
  const { headers } = exchange.request;
  const { grant: token, path, slash } = cutGrant(inside);
  const granted = await context.grants.admit(shown, 'path', token);
  if (isDocument(headers)) {
    if (hasCookieMark(path)) return takeMarkOff(exchange, publication, inside);
    const cookie = await context.grants.ofSharedUrl(shown, headers.cookie);
    if (cookie === undefined) {
      const location = sharedUrl(context.settings.publicUrl, publication.id) + returnQuery(path);
      return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, FROM_ANYWHERE);
    }
    const admitted = granted !== undefined && granted.viewer?.id === cookie.viewer?.id;
    if (!admitted || !slash) {
      // Nothing is looked up where there is no grant to take for a folder.
      const own = !admitted && token !== '' && (await hasFolder(context, publication, token));
      const way = await grantedWay(context, publication, cookie, own ? inside : path);
      return sendRedirect(exchange, { status: 302, ...way }, FROM_ANYWHERE);
    }
  }
  if (granted === undefined) return sendNotAdmitted(exchange, FROM_ANYWHERE_UNNAMED);
  const base = `${sharedUrl(context.settings.publicUrl, publication.id)}/~${token}`;
  const place = { base: () => base, referrer: 'no-referrer', more: FROM_ANYWHERE } as const;
  const outcome = await serveSite(exchange, publication, splitTarget(path), place);
  return 'kind' in outcome ? sendStopped(exchange, outcome.kind, FROM_ANYWHERE_UNNAMED) : outcome;
}

/** Answers the document request that follows a redirect with a cookie: its browser kept the cookie, or keeps none. */
function takeMarkOff(exchange: Exchange, { id }: Publication, inside: string): Answered {
  const { request, context } = exchange;
  if (context.grants.sharedUrlTokens(request.headers.cookie).length === 0) {
    return sendCookiesPage(exchange, id, cutGrant(inside).path, FROM_ANYWHERE_UNNAMED);
  }
  const location = sharedUrl(context.settings.publicUrl, id) + encodeRawBytes(withoutCookieMark(inside));
  return sendRedirect(exchange, { status: 302, location, referrer: 'no-referrer' }, FROM_ANYWHERE);
}

interface GrantedPath {
  /** Empty without a query. */
  readonly grant: string;
  /** The rest inside the site, with its query. */
  readonly path: string;
  /** Whether a slash stood behind the grant, so that relative addresses are right. */
  readonly slash: boolean;
}

/** The segment of a grant. Names of folders may begin with a tilde too, but are hardly ever as long as a token. */
const FIRST = /^\/~([^/?]+)(.*)/s;
const SIGNED = /^[\w.-]{40,512}$/;

/** Takes a path grant, good or not, off the beginning of a path. */
function cutGrant(inside: string): GrantedPath {
  const [, grant = '', rest = inside] = FIRST.exec(inside) ?? [];
  const slash = rest.startsWith('/');
  return { grant, path: slash ? rest : `/${rest}`, slash };
}

/** Whether what stands where a grant would is a folder of the site. Asked only for those who may see it. */
async function hasFolder({ sites }: ViewerContext, publication: Publication, name: string): Promise<boolean> {
  const loaded = await sites.load(publication);
  const folder = `~${decodePath(name) ?? ''}/`;
  return loaded instanceof SiteFiles && loaded.manifest.entries.some(({ path }) => path.startsWith(folder));
}
