import type { IncomingHttpHeaders } from 'node:http';
import type { PublicUrl } from './public-url.ts';

/**
 * Whether a form may have been sent by a page of ours, as far as the browser tells. Sites are siblings of the public
 * host, so SameSite cookies alone stop nothing.
 */
export function isOwnForm(headers: IncomingHttpHeaders, publicUrl: PublicUrl): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  const sent = origin.toLowerCase();
  if (sent === new URL(publicUrl).origin) return true;
  return (
    host !== undefined &&
    (sent === `http://${host.toLowerCase()}` || sent === `https://${host.toLowerCase()}`)
  );
}
