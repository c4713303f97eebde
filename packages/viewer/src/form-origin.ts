import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a form may have been sent by a page of ours. Sites are siblings of the public host, so SameSite cookies
 * alone stop nothing.
 *
 * @param publicOrigin scheme, host and port of the public URL.
 */
export function isOwnForm(headers: IncomingHttpHeaders, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  const sent = origin.toLowerCase();
  if (sent === publicOrigin) return true;
  return (
    host !== undefined &&
    (sent === `http://${host.toLowerCase()}` || sent === `https://${host.toLowerCase()}`)
  );
}
