import type { IncomingHttpHeaders } from 'node:http';
import type { Ended, Publication } from '@pinfold/core';
import { ANSWERED, type Answered, type Exchange, type Soon, whenThere } from '../exchange.ts';
import { type Headers, sendPlainPage, sendRedirect } from '../pages/answers.ts';
import { encodeRawBytes, type Target } from '../routing/target.ts';
import { findFile } from './find-file.ts';
import { type FileAnswer, sendFile } from './send-file.ts';
import { SiteFiles } from './site-files.ts';

/** The place of a site, for its redirects and pages. */
export interface SitePlace {
  /** Scheme, host and path before the site's own paths. */
  base(): string;
  readonly referrer: 'same-origin' | 'no-referrer';
  /** More headers of answers without a file. */
  readonly more: Headers;
}

/** Answers a path inside the site of a publication whose viewer may see it. */
export function serveSite(
  exchange: Exchange,
  publication: Publication,
  target: Target,
  place: SitePlace,
): Soon<Answered | Ended> {
  return whenThere(exchange.context.sites.load(publication), (loaded) =>
    loaded instanceof SiteFiles ? serveFrom(loaded, exchange, publication, target, place) : loaded,
  );
}

function serveFrom(
  site: SiteFiles,
  exchange: Exchange,
  publication: Publication,
  target: Target,
  place: SitePlace,
): Soon<Answered | Ended> {
  const { policies } = exchange.context;
  const policy = !publication.passwordProtected ? policies.open : policies.protected;
  const known = site.known(target.path);
  if (known !== undefined) {
    return showFile(exchange, { publication, file: known, status: 200, fallback: false, policy });
  }
  const found = findFile(site, target.path, exchange.request.headers.accept);
  if (found.kind === 'file') return showFile(exchange, { publication, policy, ...found });
  if (found.kind === 'folder' || found.kind === 'page') {
    const path = found.kind === 'folder' ? `${target.path}/` : target.path.slice(0, -1);
    const location = `${place.base()}${encodeRawBytes(path)}${encodeRawBytes(target.query)}`;
    return sendRedirect(exchange, { status: 308, location, referrer: place.referrer }, place.more);
  }
  const more = { ...place.more, 'Referrer-Policy': place.referrer };
  return sendPlainPage(exchange, 404, 'no_such_file', more);
}

const PAGE: Answered = { isPage: true };

function showFile(exchange: Exchange, answer: FileAnswer): Soon<Answered | Ended> {
  const shown = answer.file.isPage ? PAGE : ANSWERED;
  return whenThere(sendFile(exchange, answer), (outcome) => (outcome === 'over' ? shown : outcome));
}

/** Whether a browser asks for the script of a service worker (Service Workers, "Service-Worker: script"). */
export function isServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker';
}
