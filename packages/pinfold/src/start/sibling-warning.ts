import type { WebAddresses } from '../settings/web-addresses.ts';

/**
 * One line on what a hostile site can do by cookies for a domain above it, where one can be set: to the public host, too,
 * where both stand under one registrable domain, and else to the other sites, unless their host is a public suffix.
 */
export async function siblingWarning({
  publicUrl,
  sitesUrl,
  viewerMode,
}: WebAddresses): Promise<string | undefined> {
  if (viewerMode === 'path') return undefined;
  const domain = await registrableDomain(sitesUrl);
  if (domain === undefined) return undefined;
  if (domain === (await registrableDomain(publicUrl))) {
    return `sites and the public URL share the domain ${domain}, so a site's cookies reach the public host: whoever opens one hostile site can be shut out of all sites, the management screen and every other host of ${domain}; give PINFOLD_SITES_URL a domain of its own`;
  }
  return `${domain} is not on the public suffix list, so a site's cookies reach all sites: whoever opens one hostile site can be shut out of every other until the cookies are cleared; if people you do not know publish here, have it put on the list (https://publicsuffix.org)`;
}

/** The registrable domain, by the public suffix list with its private part; none on a developer's machine. */
async function registrableDomain(url: string): Promise<string | undefined> {
  const { hostname } = new URL(url);
  if (/(^|\.)localhost\.?$/.test(hostname)) return undefined;
  const { getDomain } = await import('tldts');
  return getDomain(hostname, { allowPrivateDomains: true }) ?? undefined;
}
