import { sharedUrl } from '@pinfold/http';
import { type Answered, type Exchange, isGetOrHead } from '../exchange.ts';
import { sendMethodNotAllowed, sendPlainPage, sendRedirect, sendStopped } from '../pages/answers.ts';
import { isReturnPath, returnQuery, withoutCookieMark } from '../routing/return-path.ts';
import type { NamePlace } from '../routing/route.ts';
import { encodeRawBytes, splitTarget } from '../routing/target.ts';

export async function serveName(exchange: Exchange, { segment, inside }: NamePlace): Promise<Answered> {
  const { settings, useCases } = exchange.context;
  if (!isGetOrHead(exchange.request)) return sendMethodNotAllowed(exchange, 'GET, HEAD');
  if (hasDotSegment(inside)) return sendPlainPage(exchange, 404, 'not_found');
  const visit = await useCases.visitName(segment);
  if (visit.kind === 'misspelled') {
    const location = `${settings.publicUrl}/n/${visit.segment}${encodeRawBytes(inside)}`;
    return sendRedirect(exchange, { status: 302, location });
  }
  if (visit.kind !== 'published') return sendStopped(exchange, visit.kind);
  // Without the parameter by which a redirect checks that cookies are stored.
  const path = withoutCookieMark(inside.startsWith('?') ? `/${inside}` : inside);
  const shared = sharedUrl(settings.publicUrl, visit.publication.id);
  // Path mode: the path goes below the shared URL. Origin mode: the shared URL gets it as `?to=`.
  const below = settings.mode === 'path' && isReturnPath(path) ? encodeRawBytes(path) : '';
  const query = settings.mode === 'path' ? '' : returnQuery(path);
  return sendRedirect(exchange, { status: 302, location: shared + below + query });
}

/** Whether a client or a proxy could read a segment of the path as `.` or `..`. */
function hasDotSegment(inside: string): boolean {
  const path = splitTarget(inside)
    .path.replace(/%2e/gi, '.')
    .replace(/%2f|%5c|\\/gi, '/');
  return /(?:^|\/)\.\.?(?:\/|$)/.test(path);
}
