import type { IncomingHttpHeaders } from 'node:http';
import type { PublicUrl } from './public-url.ts';

/** Whether a page of ours may have sent a form. Sites are siblings of the public host: SameSite alone stops nothing. */
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
