import type { Grant, Publication, RoleId } from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import type { ViewerContext } from '../exchange.ts';
import type { Redirect } from '../pages/answers.ts';
import type { Settings } from '../viewer-options.ts';
import { withCookieMark } from './return-path.ts';
import { encodeRawBytes } from './target.ts';

/** The path of a site's origin that accepts hand-overs. No file conflicts with it: paths in archives have no colon. */
export const HAND_OVER_PATH = '/.pinfold:enter';

/** The base of a site's own paths: its origin, or in path mode its shared URL. */
export function siteBaseOf(settings: Settings, id: RoleId): string {
  if (settings.mode === 'path') return sharedUrl(settings.publicUrl, id);
  return `${settings.sitesScheme}${id}.${settings.sitesHost}`;
}

/** The URL that accepts hand-overs: on the site's origin, or in path mode the shared URL. */
export function handOverUrl(settings: Settings, id: RoleId): string {
  return `${siteBaseOf(settings, id)}${settings.mode === 'path' ? '' : HAND_OVER_PATH}`;
}

/** Returns the redirect from the shared URL to a path of a protected site, for a viewer with a grant. */
export async function redirectIntoSite(
  { settings, grants }: ViewerContext,
  publication: Publication,
  grant: Grant,
  path: string,
): Promise<Omit<Redirect, 'status'>> {
  const location =
    settings.mode === 'path'
      ? `${siteBaseOf(settings, publication.id)}/~${await grants.pathToken(grant)}${encodeRawBytes(path)}`
      : `${handOverUrl(settings, publication.id)}?grant=${await grants.handOverToken(grant)}&to=${encodeURIComponent(path)}`;
  return { location, referrer: 'no-referrer' };
}

/** Like {@link redirectIntoSite}, for a new grant: also sets the cookie of the shared URL. */
export async function redirectWithCookie(
  context: ViewerContext,
  publication: Publication,
  grant: Grant,
  path: string,
): Promise<Omit<Redirect, 'status'>> {
  // In origin mode the hand-over sets the cookie that the site needs.
  const marked = context.settings.mode === 'path' ? withCookieMark(path) : path;
  const cookie = await context.grants.sharedUrlCookie(publication, grant);
  return { ...(await redirectIntoSite(context, publication, grant, marked)), cookie };
}
