import { isIP } from 'node:net';
import { type PublicUrl, publicUrl } from '@pinfold/http';
import { oneOf, type ReadOption } from './read-option.ts';
import { SettingsError } from './settings-error.ts';
import { named } from './variables.ts';

/** How sites are reached: each on an origin of its own, or all under a path. */
export type ViewerMode = 'origin' | 'path';

/** The URLs of the service from outside. */
export interface WebAddresses {
  /** The beginning of shared URLs and of the API's; without a `/` at its end. */
  readonly publicUrl: PublicUrl;
  /** The origin whose host gets `{id}.` before it in origin mode. */
  readonly sitesUrl: string;
  readonly viewerMode: ViewerMode;
}

/** The variables that say where the service is reached, each read by itself. */
export interface WebAddressSettings {
  /** Absent: `http://localhost` with the port that is listened on. */
  readonly publicUrl: PublicUrl | undefined;
  /** Absent: as the public URL. */
  readonly sitesUrl: string | undefined;
  /** Absent: `path` for a public URL with an IP address and no sites URL, else `origin`. */
  readonly viewerMode: ViewerMode | undefined;
}

const PUBLIC_URL = named('publicUrl');
const SITES_URL = named('sitesUrl');

export function readWebAddresses(read: ReadOption): WebAddressSettings {
  const viewerMode = read('viewerMode', oneOf<ViewerMode>(['origin', 'path']));
  const shared = read('publicUrl', parseUrl);
  const sitesUrl = read('sitesUrl', parseUrl);
  const publicPlace = new URL(shared ?? 'http://localhost');
  if (sitesUrl !== undefined) {
    const { pathname, protocol, hostname } = new URL(sitesUrl);
    if (pathname !== '/') throw new SettingsError('sitesUrl', 'must have no path');
    if (protocol !== publicPlace.protocol) {
      throw new SettingsError('sitesUrl', `must have the scheme of ${PUBLIC_URL}`);
    }
    if (isAddress(hostname))
      throw new SettingsError('sitesUrl', 'must have a host name: no name fits before an IP address');
  }
  if (viewerMode === 'origin' && sitesUrl === undefined && isAddress(publicPlace.hostname)) {
    throw new SettingsError(
      'viewerMode',
      `cannot be origin when ${PUBLIC_URL} has an IP address, unless ${SITES_URL} has a host name`,
    );
  }
  return { publicUrl: shared, sitesUrl, viewerMode };
}

/** The addresses in force, once the port is known. */
export function webAddresses(settings: WebAddressSettings, port: number): WebAddresses {
  const shared = publicUrl(settings.publicUrl ?? `http://localhost:${port}`);
  const { origin, hostname } = new URL(shared);
  const ofItself = settings.sitesUrl === undefined && isAddress(hostname) ? 'path' : 'origin';
  return {
    publicUrl: shared,
    sitesUrl: settings.sitesUrl ?? origin,
    viewerMode: settings.viewerMode ?? ofItself,
  };
}

export function addressNotes(settings: WebAddressSettings): readonly string[] {
  const { viewerMode } = webAddresses(settings, 80);
  if (settings.viewerMode === undefined && viewerMode === 'path') {
    return [
      `${PUBLIC_URL} has an IP address and ${SITES_URL} is not set, so sites are viewed in path mode, as ${named('viewerMode')} can say`,
    ];
  }
  if (viewerMode === 'path' && settings.sitesUrl !== undefined) {
    return [`${SITES_URL} has no effect in path mode`];
  }
  return [];
}

/** Whether a URL's host name is an IP address, which no name can stand before. */
export function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

function parseUrl(text: string): PublicUrl {
  return publicUrl(text, (expectation) => new TypeError(expectation));
}
