import type { Ended, Publication, VisibleRole, Visit } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { type Answered, type Exchange, isRead, type Soon, whenThere } from '../exchange.ts';
import {
  sendForbiddenLine,
  sendMethodNotAllowed,
  sendNotAdmitted,
  sendRedirect,
  sendStopped,
} from '../pages/answers.ts';
import { HAND_OVER_PATH, siteBaseOf } from '../routing/addresses.ts';
import { returnPathOf, returnQuery } from '../routing/return-path.ts';
import type { OriginPlace } from '../routing/route.ts';
import { encodeRawBytes, type Target } from '../routing/target.ts';
import { isNavigation } from '../sending/find-file.ts';
import { isServiceWorker, type SitePlace, serveSite } from '../sending/serve-site.ts';
import type { ViewerContext } from '../viewer-context.ts';
import type { Held } from './grants.ts';

export function serveSiteOrigin(
  context: ViewerContext,
  exchange: Exchange,
  place: OriginPlace,
): Soon<Answered> {
  return whenThere(context.useCases.visit(place.role), (visit) =>
    serveVisit(context, exchange, place, visit),
  );
}

function serveVisit(
  context: ViewerContext,
  exchange: Exchange,
  { role: id, target, whole }: OriginPlace,
  visit: Visit,
): Soon<Answered> {
  const { settings, access } = context;
  const { request } = exchange;
  if (visit.kind !== 'published') return sendEnded(context, exchange, visit.kind);
  if (!isRead(request)) return sendMethodNotAllowed(exchange, 'GET, HEAD');
  if (settings.serviceWorkers === 'refuse' && isServiceWorker(request.headers)) {
    return sendForbiddenLine(exchange, 'service_worker');
  }
  const { publication } = visit;
  if (target.path === HAND_OVER_PATH) return takeOver(context, exchange, visit, target);
  return whenThere(access.isOpen(publication) || heldGrant(context, exchange, visit), (admitted) => {
    if (!admitted) return turnAway(context, exchange, publication, whole);
    const base = (): string => siteBaseOf(settings, id);
    const site: SitePlace = { base, referrer: 'same-origin', more: {} };
    return whenThere(serveSite(context, exchange, publication, target, site), (outcome) =>
      'kind' in outcome ? sendEnded(context, exchange, outcome.kind) : outcome,
    );
  });
}

/** Clears what the browser has stored of the site. Never "cookies": that reaches every sibling. */
function sendEnded({ grants }: ViewerContext, exchange: Exchange, kind: Ended['kind']): Answered {
  const forget = { 'Clear-Site-Data': '"cache", "storage"', 'Set-Cookie': grants.removedSiteCookie };
  return sendStopped(exchange, kind, forget);
}

/** Takes a grant over from the shared URL: sets the cookie and redirects the viewer to the requested path. */
async function takeOver(
  context: ViewerContext,
  exchange: Exchange,
  shown: VisibleRole,
  target: Target,
): Promise<Answered> {
  const { publication } = shown;
  const { access, grants, settings } = context;
  const path = returnPathOf(target.query);
  const location = siteBaseOf(settings, publication.id) + encodeRawBytes(path);
  const onward = { status: 302, location } as const;
  const token = new URLSearchParams(target.query).get('grant') ?? '';
  const grant = await grants.admit(shown, 'hand_over', token);
  if (grant !== undefined) {
    return sendRedirect(exchange, { ...onward, cookie: grants.siteCookie(publication, grant) });
  }
  return access.isOpen(publication) || (await heldGrant(context, exchange, shown))
    ? sendRedirect(exchange, onward)
    : turnAway(context, exchange, publication, path);
}

function heldGrant({ grants }: ViewerContext, { request }: Exchange, shown: VisibleRole): Held {
  return grants.ofSite(shown, request.headers.cookie);
}

function turnAway(
  { settings, access }: ViewerContext,
  exchange: Exchange,
  publication: Publication,
  path: string,
): Answered {
  if (!isNavigation(exchange.request.headers.accept)) {
    return sendNotAdmitted(exchange, access);
  }
  const location = sharedUrl(settings.publicUrl, publication.id) + returnQuery(path);
  return sendRedirect(exchange, { status: 302, location });
}
