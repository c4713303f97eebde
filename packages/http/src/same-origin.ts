import type { IncomingHttpHeaders } from 'node:http';
import type { PublicUrl } from './public-url.ts';

/** Whether a page of this origin may have sent a form. SameSite cookies do not protect: sites share the domain. */
export function isSameOriginForm(headers: IncomingHttpHeaders, publicUrl: PublicUrl): boolean {
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
