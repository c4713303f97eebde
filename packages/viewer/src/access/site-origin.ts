import type { Ended, Publication, VisibleRole, Visit } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { type Answered, chain, type Exchange, isGetOrHead, type MaybePromise } from '../exchange.ts';
import {
  sendCookiesPage,
  sendForbiddenLine,
  sendMethodNotAllowed,
  sendNotAdmitted,
  sendRedirect,
  sendStopped,
} from '../pages/answers.ts';
import {
  HAND_OVER_PATH,
  hasCookieMark,
  returnPathOf,
  returnQuery,
  siteBaseOf,
  withCookieMark,
  withoutCookieMark,
} from '../routing/addresses.ts';
import type { OriginPlace } from '../routing/route.ts';
import { isNavigation, isServiceWorker, parametersOf, type Target } from '../routing/target.ts';
import { serveSite } from '../sending/sites.ts';
import type { AdmittingGrant } from './grants.ts';

export function serveSiteOrigin(exchange: Exchange, place: OriginPlace): MaybePromise<Answered> {
  return chain(exchange.context.useCases.visit(place.role), (visit) => serveVisit(exchange, place, visit));
}

function serveVisit(
  exchange: Exchange,
  { role: id, target, pathAndQuery }: OriginPlace,
  visit: Visit,
): MaybePromise<Answered> {
  const { request, context } = exchange;
  const { settings, access } = context;
  if (visit.kind !== 'published') return sendEndedOrigin(exchange, visit.kind);
  if (!isGetOrHead(request)) return sendMethodNotAllowed(exchange, 'GET, HEAD');
  if (settings.serviceWorkers === 'refuse' && isServiceWorker(request.headers)) {
    return sendForbiddenLine(exchange, 'service_worker');
  }
  const { publication } = visit;
  if (target.path === HAND_OVER_PATH) return acceptHandOver(exchange, visit, target);
  if (hasCookieMark(target.query) && isNavigation(request.headers.accept) && !access.isOpen(publication)) {
    return checkCookie(exchange, publication, pathAndQuery);
  }
  const isOpen = access.isOpen(publication);
  exchange.allowsCors = isOpen;
  return chain(isOpen || findGrant(exchange, visit), (admitted) => {
    if (!admitted) return refuseView(exchange, publication, pathAndQuery);
    return serveSite(exchange, publication, target, siteBaseOf(settings, id));
  });
}

/** Makes the browser delete its cache and storage of the site, but not "cookies": that would delete those of all sites. */
export function sendEndedOrigin(exchange: Exchange, kind: Ended['kind']): Answered {
  exchange.pageHeaders = {
    'Clear-Site-Data': '"cache", "storage"',
    'Set-Cookie': exchange.context.grants.removedSiteCookie,
  };
  return sendStopped(exchange, kind);
}

/** Accepts a hand-over from the shared URL: sets the cookie and redirects the viewer to the requested path. */
async function acceptHandOver(exchange: Exchange, shown: VisibleRole, target: Target): Promise<Answered> {
  const { publication } = shown;
  const { access, grants, settings } = exchange.context;
  const path = returnPathOf(target.query);
  const base = siteBaseOf(settings, publication.id);
  const token = parametersOf(target.query).get('grant') ?? '';
  const grant = await grants.admit(shown, 'hand_over', token);
  if (grant !== undefined) {
    const cookie = await grants.siteCookie(publication, grant);
    return sendRedirect(exchange, { location: base + withCookieMark(path), cookie });
  }
  return access.isOpen(publication) || (await findGrant(exchange, shown))
    ? sendRedirect(exchange, { location: base + path })
    : refuseView(exchange, publication, path);
}

/** Answers the navigation after a hand-over. Without a cookie, explains cookies; otherwise removes the mark from the URL. */
function checkCookie(exchange: Exchange, { id }: Publication, path: string): Answered {
  const { request, context } = exchange;
  if (context.grants.siteTokens(request.headers.cookie).length === 0) {
    return sendCookiesPage(exchange, id, path);
  }
  const location = siteBaseOf(context.settings, id) + withoutCookieMark(path);
  return sendRedirect(exchange, { location });
}

function findGrant({ context: { grants }, request }: Exchange, shown: VisibleRole): AdmittingGrant {
  return grants.findForSite(shown, request.headers.cookie);
}

function refuseView(exchange: Exchange, publication: Publication, path: string): Answered {
  if (!isNavigation(exchange.request.headers.accept)) return sendNotAdmitted(exchange);
  const location = sharedUrl(exchange.context.settings.publicUrl, publication.id) + returnQuery(path);
  return sendRedirect(exchange, { location });
}
