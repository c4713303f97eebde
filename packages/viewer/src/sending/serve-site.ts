import type { IncomingHttpHeaders } from 'node:http';
import type { Ended, Publication } from '@pinfold/core';
import { ANSWERED, type Answered, type Exchange } from '../exchange.ts';
import { type Headers, sendPlainPage, sendRedirect } from '../pages/answers.ts';
import { encodeRawBytes, type Target } from '../routing/target.ts';
import type { ViewerContext } from '../viewer-context.ts';
import { findFile } from './find-file.ts';
import { type FileAnswer, sendFile } from './send-file.ts';

/** Where a site is served, as its redirects and pages need it. */
export interface SitePlace {
  /** Scheme, host and path before the site's own paths. */
  readonly base: string;
  readonly referrer: 'same-origin' | 'no-referrer';
  /** More headers of what is no file. */
  readonly more: Headers;
}

/** Answers a path inside the site of a publication whose viewer may see it. */
export async function serveSite(
  context: ViewerContext,
  exchange: Exchange,
  publication: Publication,
  target: Target,
  place: SitePlace,
): Promise<Answered | Ended> {
  const { policies, sites } = context;
  const policy = !publication.passwordProtected ? policies.open : policies.protected;
  let site = sites.hot(publication.id);
  if (site === undefined) {
    const loaded = await sites.load(publication);
    if (loaded.kind !== 'site') return loaded;
    site = loaded.site;
  }
  const known = site.known(target.path);
  if (known !== undefined) {
    return showFile(context, exchange, { publication, file: known, status: 200, fallback: false, policy });
  }
  const found = findFile(site, target.path, exchange.request.headers.accept);
  if (found.kind === 'file') return showFile(context, exchange, { publication, policy, ...found });
  if (found.kind === 'folder') {
    const location = `${place.base}${encodeRawBytes(target.path)}/${encodeRawBytes(target.query)}`;
    return sendRedirect(exchange, { status: 308, location, referrer: place.referrer }, place.more);
  }
  const more = { ...place.more, 'Referrer-Policy': place.referrer };
  return sendPlainPage(exchange, 404, 'no_such_file', more);
}

const PAGE: Answered = { isPage: true };

async function showFile(
  context: ViewerContext,
  exchange: Exchange,
  answer: FileAnswer,
): Promise<Answered | Ended> {
  const sent = sendFile(context, exchange, answer);
  // Most files are sent at once, and a promise less is a measurable part of their cost.
  const outcome = sent instanceof Promise ? await sent : sent;
  if (outcome !== 'over') return outcome;
  return answer.file.isPage ? PAGE : ANSWERED;
}

/** Whether a browser asks for the script of a service worker (Service Workers, "Service-Worker: script"). */
export function isServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker';
}
