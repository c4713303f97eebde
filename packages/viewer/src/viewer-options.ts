import type { UseCases } from '@pinfold/core';
import type { ViewCounter } from '@pinfold/core/views';
import { type ClientAddress, type PublicUrl, publicUrl, type RequestLog } from '@pinfold/http';
import { checkReportUrl, type Filled, type PublicPage, pathOf, socketAddress } from '@pinfold/http/internal';
import type { ViewerAccess } from './access/access.ts';

/** `origin`: each site on its own host; `path`: sandboxed below the shared URL. */
export type ViewerMode = 'origin' | 'path';

/** The purpose of a request, for the log. */
export type ViewerRoute = 'shared_url' | 'name' | 'hand_over' | 'site' | 'none';

/** Bounds on the concurrent work of one process for viewers. */
export interface ViewerBounds {
  /** How many files are inflated at once, for clients without gzip and for ranges. Default 2. */
  readonly inflating: number;
  /** How many more may wait; beyond that, the viewer answers 503. Default 256. */
  readonly inflatingQueue: number;
}

/** The use cases that the viewer calls. */
export type ViewerUseCases = Pick<
  UseCases,
  'clock' | 'createGrant' | 'enter' | 'grants' | 'limits' | 'open' | 'openArchive' | 'visit' | 'visitName'
>;

/** The hits, misses and size of a cache. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** Live statistics of a viewer. */
export interface ViewerStatistics {
  readonly bodies: CacheStatistics;
  /** The cache of file lists. */
  readonly sites: CacheStatistics;
  readonly inflations: { readonly running: number; readonly waiting: number };
}

/** Options of {@link createViewer}. */
export interface ViewerOptions {
  readonly useCases: ViewerUseCases;
  /** The URL of this server, with the path of its mount, if any: `https://share.example.org`. */
  readonly publicUrl: string;
  /** Origin mode: sites are at `{id}.` before this URL's host. Default: scheme, host and port of `publicUrl`. */
  readonly sitesUrl?: string | undefined;
  /** Default `origin`. Use `path` if wildcard hosts are impossible; docs/security.md has its risks. */
  readonly mode?: ViewerMode | undefined;
  /** Decides who may view sites. Default: everyone with the link, and with the password if there is one. */
  readonly access?: ViewerAccess | undefined;
  /** Returns the client's address, from trusted proxies if any. Default: the socket's. IPv6 is reduced to its /64. */
  readonly clientAddress?: ClientAddress | undefined;
  /** Whether sites may register service workers, which can outlive a stop in a viewer's browser. Default `refuse`. */
  readonly serviceWorkers?: 'refuse' | 'allow' | undefined;
  /** Whether the answer 431 also deletes the cookies of the whole domain, including other servers'. Default false. */
  readonly clearCookies?: boolean | undefined;
  /** The service's name in previews of links. Default `Pinfold`. */
  readonly serviceName?: string | undefined;
  /** The URL for reporting a page, linked on the viewer's own pages: http, https or mailto. */
  readonly reportUrl?: string | undefined;
  /** The size of the cache of bodies; 0 caches none. Default 64 MiB. */
  readonly cacheBytes?: number | undefined;
  /** The estimated size of the cache of file lists. Default 32 MiB. */
  readonly siteCacheBytes?: number | undefined;
  readonly bounds?: Partial<ViewerBounds> | undefined;
  /** Receives every request that the viewer answered, once it has ended. Default: faults go to `console.error`. */
  readonly log?: RequestLog | undefined;
  /** Called once with statistics that metrics may read at any time. */
  readonly statistics?: ((statistics: ViewerStatistics) => void) | undefined;
  /** Counts views and wrong passwords; absent: they are not counted. */
  readonly counter?: ViewCounter | undefined;
}

/** {@link ViewerOptions}, checked and parsed. */
export interface Settings
  extends Filled<Pick<ViewerOptions, 'mode' | 'serviceWorkers' | 'clearCookies' | 'clientAddress'>> {
  readonly secure: boolean;
  readonly publicUrl: PublicUrl;
  readonly publicHostname: string;
  /** The beginning of the paths of shared URLs: `/s/`, below the path of the public URL. */
  readonly sharedPath: string;
  /** The prefix of the URLs of names: `/n/`, below the path of the public URL. */
  readonly namePath: string;
  readonly sitesScheme: string;
  readonly sitesHost: string;
  readonly sitesHostname: string;
  readonly service: PublicPage;
}

/** @throws TypeError when a URL is invalid or has a query, the two schemes differ, or there is no such mode. */
export function settingsOf(options: ViewerOptions): Settings {
  const shared = publicUrl(options.publicUrl);
  const sites = publicUrl(
    options.sitesUrl ?? shared,
    (expectation) => new TypeError(`sitesUrl ${expectation}`),
  );
  const { protocol, hostname } = new URL(shared);
  const { protocol: sitesProtocol, host: sitesHost, hostname: sitesHostname } = new URL(sites);
  if (sitesProtocol !== protocol) {
    throw new TypeError('sitesUrl must have the scheme of publicUrl: a grant crosses from one to the other');
  }
  const { mode = 'origin' } = options;
  if (mode !== 'origin' && mode !== 'path') throw new TypeError('mode must be origin or path');
  return {
    mode,
    secure: protocol === 'https:',
    publicUrl: shared,
    publicHostname: hostname.replace(/\.$/, ''),
    sharedPath: `${pathOf(shared)}/s/`,
    namePath: `${pathOf(shared)}/n/`,
    sitesScheme: `${sitesProtocol}//`,
    sitesHost,
    sitesHostname: sitesHostname.replace(/\.$/, ''),
    serviceWorkers: options.serviceWorkers ?? 'refuse',
    clearCookies: options.clearCookies ?? false,
    service: { name: options.serviceName ?? 'Pinfold', reportUrl: checkReportUrl(options.reportUrl) },
    clientAddress: options.clientAddress ?? socketAddress,
  };
}
