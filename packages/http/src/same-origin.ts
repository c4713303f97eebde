import type { IncomingHttpHeaders } from 'node:http';
import type { PublicUrl } from './public-url.ts';
import { hostOf } from './request-target.ts';

/** Whether a page of this origin may have sent a form. SameSite cookies do not protect: sites share the domain. */
export function isSameOriginForm(headers: IncomingHttpHeaders, publicUrl: PublicUrl): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  const sent = origin.toLowerCase();
  if (sent === new URL(publicUrl).origin) return true;
  const host = hostOf(headers)?.toLowerCase();
  return host !== undefined && (sent === `http://${host}` || sent === `https://${host}`);
}
