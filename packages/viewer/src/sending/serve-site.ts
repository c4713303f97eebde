import type { IncomingHttpHeaders } from 'node:http';
import type { Ended, Publication } from '@pinfold/core';
import { ANSWERED, type Answered, type Exchange } from '../exchange.ts';
import { type Headers, sendPlainPage, sendRedirect } from '../pages/answers.ts';
import { encodeRawBytes, type Target } from '../routing/target.ts';
import { findFile } from './find-file.ts';
import { type FileAnswer, type FileOutcome, sendFile } from './send-file.ts';
import type { SiteFiles } from './site-files.ts';

/** Where a site is served, as its redirects and pages need it. */
export interface SitePlace {
  /** Scheme, host and path before the site's own paths. */
  readonly base: string;
  readonly referrer: 'same-origin' | 'no-referrer';
  /** More headers of answers without a file. */
  readonly more: Headers;
}

/** The outcome, without a promise if the file is in memory: a promise is a measurable part of its cost. */
export type Served = Promise<Answered | Ended> | Answered | Ended;

/** Answers a path inside the site of a publication whose viewer may see it. */
export function serveSite(
  exchange: Exchange,
  publication: Publication,
  target: Target,
  place: SitePlace,
): Served {
  const { sites } = exchange.context;
  const hot = sites.hot(publication.id);
  if (hot !== undefined) return serveFrom(hot, exchange, publication, target, place);
  return sites
    .load(publication)
    .then((loaded) =>
      loaded.kind === 'site' ? serveFrom(loaded.site, exchange, publication, target, place) : loaded,
    );
}

function serveFrom(
  site: SiteFiles,
  exchange: Exchange,
  publication: Publication,
  target: Target,
  place: SitePlace,
): Served {
  const { policies } = exchange.context;
  const policy = !publication.passwordProtected ? policies.open : policies.protected;
  const known = site.known(target.path);
  if (known !== undefined) {
    return showFile(exchange, { publication, file: known, status: 200, fallback: false, policy });
  }
  const found = findFile(site, target.path, exchange.request.headers.accept);
  if (found.kind === 'file') return showFile(exchange, { publication, policy, ...found });
  if (found.kind === 'folder') {
    const location = `${place.base}${encodeRawBytes(target.path)}/${encodeRawBytes(target.query)}`;
    return sendRedirect(exchange, { status: 308, location, referrer: place.referrer }, place.more);
  }
  const more = { ...place.more, 'Referrer-Policy': place.referrer };
  return sendPlainPage(exchange, 404, 'no_such_file', more);
}

const PAGE: Answered = { isPage: true };

function showFile(exchange: Exchange, answer: FileAnswer): Served {
  const sent = sendFile(exchange, answer);
  return sent instanceof Promise ? sent.then((outcome) => shown(outcome, answer)) : shown(sent, answer);
}

function shown(outcome: FileOutcome, { file }: FileAnswer): Answered | Ended {
  if (outcome !== 'over') return outcome;
  return file.isPage ? PAGE : ANSWERED;
}

/** Whether a browser asks for the script of a service worker (Service Workers, "Service-Worker: script"). */
export function isServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker';
}
