import { getDomain } from 'tldts';
import type { WebAddresses } from './settings/web-addresses.ts';

/** One line when a site could set cookies that reach the public host: both stand under one registrable domain. */
export function siblingWarning({ publicUrl, sitesUrl, viewerMode }: WebAddresses): string | undefined {
  if (viewerMode === 'path') return undefined;
  const domain = registrableDomain(publicUrl);
  if (domain === undefined || domain !== registrableDomain(sitesUrl)) return undefined;
  return `sites and the public URL share the domain ${domain}, so a site's cookies reach the public host; give PINFOLD_SITES_URL a domain of its own`;
}

/** The domain that somebody registered, by the public suffix list with its private part. */
function registrableDomain(url: string): string | undefined {
  return getDomain(new URL(url).hostname, { allowPrivateDomains: true }) ?? undefined;
}
