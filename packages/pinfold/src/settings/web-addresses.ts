import { isIP } from 'node:net';
import { type PublicUrl, publicUrl } from '@pinfold/http';
import { oneOf, type ReadOption } from './read-option.ts';
import { SettingsError } from './settings-error.ts';
import { formatOption } from './variables.ts';

/** Serves each site on an origin of its own, or all sites under a path. */
export type ViewerMode = 'origin' | 'path';

/** The URLs at which clients reach the service. */
export interface WebAddresses {
  /** The base of shared URLs and of the API, without a trailing `/`. */
  readonly publicUrl: PublicUrl;
  /** The origin of sites; origin mode puts `{id}.` before its host. */
  readonly sitesUrl: string;
  readonly viewerMode: ViewerMode;
}

/** The settings of the addresses, before defaults are applied. */
export interface WebAddressSettings {
  /** Absent: `http://localhost` with the server's port. */
  readonly publicUrl: PublicUrl | undefined;
  /** Absent: the origin of the public URL. */
  readonly sitesUrl: string | undefined;
  /** Absent: `path` for a public URL with an IP address and no sites URL, else `origin`. */
  readonly viewerMode: ViewerMode | undefined;
}

const PUBLIC_URL = formatOption('publicUrl');
const SITES_URL = formatOption('sitesUrl');

export function readWebAddresses(read: ReadOption): WebAddressSettings {
  const viewerMode = read('viewerMode', oneOf<ViewerMode>(['origin', 'path']));
  const base = read('publicUrl', parseUrl);
  const sitesUrl = read('sitesUrl', parseUrl);
  const publicAddress = new URL(base ?? 'http://localhost');
  if (sitesUrl !== undefined) {
    const { pathname, protocol, hostname } = new URL(sitesUrl);
    if (pathname !== '/') throw new SettingsError('sitesUrl', 'must have no path');
    if (protocol !== publicAddress.protocol) {
      throw new SettingsError('sitesUrl', `must have the scheme of ${PUBLIC_URL}`);
    }
    if (isIpAddress(hostname))
      throw new SettingsError('sitesUrl', 'must have a host name, because an IP address has no subdomains');
  }
  if (viewerMode === 'origin' && sitesUrl === undefined && isIpAddress(publicAddress.hostname)) {
    throw new SettingsError(
      'viewerMode',
      `cannot be origin when ${PUBLIC_URL} has an IP address, unless ${SITES_URL} has a host name`,
    );
  }
  return { publicUrl: base, sitesUrl, viewerMode };
}

/** Applies the defaults, which need the port. */
export function resolveWebAddresses(settings: WebAddressSettings, port: number): WebAddresses {
  const shared = publicUrl(settings.publicUrl ?? `http://localhost:${port}`);
  const { origin, hostname } = new URL(shared);
  const defaultMode = settings.sitesUrl === undefined && isIpAddress(hostname) ? 'path' : 'origin';
  return {
    publicUrl: shared,
    sitesUrl: settings.sitesUrl ?? origin,
    viewerMode: settings.viewerMode ?? defaultMode,
  };
}

export function addressNotes(settings: WebAddressSettings): readonly string[] {
  const { viewerMode } = resolveWebAddresses(settings, 80);
  if (settings.viewerMode === undefined && viewerMode === 'path') {
    return [
      `${PUBLIC_URL} has an IP address and ${SITES_URL} is not set, so sites are viewed in path mode; set ${formatOption('viewerMode')} to path to confirm it`,
    ];
  }
  if (viewerMode === 'path' && settings.sitesUrl !== undefined) {
    return [`${SITES_URL} has no effect in path mode`];
  }
  return [];
}

/** Warns if sites share a domain with the public host, because a hostile site could then set cookies there. */
export async function sharedDomainNotes(addresses: WebAddresses): Promise<readonly string[]> {
  if (addresses.viewerMode === 'path') return [];
  const domain = await findRegistrableDomain(addresses.sitesUrl);
  if (domain === undefined || domain !== (await findRegistrableDomain(addresses.publicUrl))) return [];
  return [
    `sites and the public URL share the domain ${domain}, so a site's cookies reach the public host: one hostile site can shut its viewers out of all sites, the management screen and every other host of ${domain}; give PINFOLD_SITES_URL a domain of its own`,
  ];
}

/** The registrable domain by the public suffix list with its private part; `undefined` for localhost. */
async function findRegistrableDomain(url: string): Promise<string | undefined> {
  const { hostname } = new URL(url);
  if (/(^|\.)localhost\.?$/.test(hostname)) return undefined;
  const { getDomain } = await import('tldts');
  return getDomain(hostname, { allowPrivateDomains: true }) ?? undefined;
}

/** Whether a URL's host name is an IP address, which has no subdomains. */
function isIpAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

function parseUrl(text: string): PublicUrl {
  return publicUrl(text, (expectation) => new TypeError(expectation));
}
