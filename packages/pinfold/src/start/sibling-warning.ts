import type { WebAddresses } from '../settings/web-addresses.ts';

/** Warns if sites share a domain with the public host, because a hostile site could then set cookies there. */
export async function findSiblingWarning({
  publicUrl,
  sitesUrl,
  viewerMode,
}: WebAddresses): Promise<string | undefined> {
  if (viewerMode === 'path') return undefined;
  const domain = await findRegistrableDomain(sitesUrl);
  if (domain === undefined || domain !== (await findRegistrableDomain(publicUrl))) return undefined;
  return `sites and the public URL share the domain ${domain}, so a site's cookies reach the public host: one hostile site can shut its viewers out of all sites, the management screen and every other host of ${domain}; give PINFOLD_SITES_URL a domain of its own`;
}

/** The registrable domain by the public suffix list with its private part; `undefined` for localhost. */
async function findRegistrableDomain(url: string): Promise<string | undefined> {
  const { hostname } = new URL(url);
  if (/(^|\.)localhost\.?$/.test(hostname)) return undefined;
  const { getDomain } = await import('tldts');
  return getDomain(hostname, { allowPrivateDomains: true }) ?? undefined;
}
