import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Cleaning,
  type Keys,
  OPERATOR,
  type PublishOutcome,
  type PublishRequest,
  type UseCases,
} from '@pinfold/core';
import type { FeedItem, FollowRequest } from '@pinfold/core/history';
import type { Viewer } from '@pinfold/viewer';
import { type Settings, settingsOf } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { webAddresses } from '../settings/web-addresses.ts';
import { once } from './compose.ts';
import { openService, type ServiceOptions } from './service.ts';

/** Options that only the reference server and the command set. */
type Internal = 'missingDataFolder' | 'stopping' | 'unfinishedImport';

/** Options of {@link openPinfold}. */
export interface PinfoldOptions extends Omit<ServiceOptions, Internal> {
  /** The folder of everything that is stored on this machine; created if missing. */
  readonly dataDir: string;
  /** The URL of your server: `https://share.example`. */
  readonly publicUrl: string;
  /** An origin for sites: `https://sites.example`. Default: each site has a host below that of `publicUrl`. */
  readonly sitesUrl?: string | undefined;
  /** Default: `origin` if the sites' host can have subdomains, else `path`. */
  readonly viewerMode?: 'origin' | 'path' | undefined;
  /** `postgres://…`. Default: SQLite in the data folder. */
  readonly database?: string | undefined;
  /** `s3://bucket/prefix?endpoint=…&region=…`. Default: files in the data folder. */
  readonly storage?: string | undefined;
  /**
   * The secret that signs viewing grants. If several are separated by commas, the first signs and all are accepted.
   * Default: one is created and stored in the data folder. Required with PostgreSQL.
   */
  readonly secret?: string | undefined;
  /** The proxies whose `X-Forwarded-For` is trusted, as in `PINFOLD_TRUST_PROXY`. Default: none. */
  readonly trustProxy?: string | undefined;
  /** The lowest level that is logged. Default: `warn`. */
  readonly logLevel?: Settings['logLevel'] | undefined;
}

/** A handler that the types of Express 4 and 5 take alike. */
type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Pinfold as a part of your server. */
export interface Pinfold {
  /** The API, `/openapi.json` and `/llms.txt`: an Express router, mounted at the path of `publicUrl`. */
  readonly api: Middleware;
  /** Shared URLs and sites: a request handler, mounted at the root before all others. */
  readonly viewer: Viewer;
  /** The management screen: an Express router, mounted at `manage` below `publicUrl`. */
  readonly management: Middleware;
  /**
   * Publishes from code, as the use case does.
   *
   * @throws Fault when a part cannot be reached; repeating with the same key is safe.
   */
  publish(request: PublishRequest): Promise<PublishOutcome>;
  /**
   * The events of all accounts, or of one, each once and in a fixed order. It waits for further ones until Pinfold is
   * closed. Store the last `cursor` to continue after it.
   *
   * @throws FeedError when the cursor is not of this feed or has expired; the signal's reason when it aborts.
   */
  events(request?: Omit<FollowRequest, 'by'>): AsyncGenerator<FeedItem, void, undefined>;
  /** For your own pages and jobs. */
  readonly useCases: UseCases &
    Cleaning & {
      /** API keys, for servers without an `authenticate`. */
      readonly keys: Keys;
    };
  /**
   * Waits up to 10 seconds for running publications, and closes what was opened. Close your server before. A second call
   * waits for the same end.
   */
  close(): Promise<void>;
}

const MAX_STOP_TIME = 10_000;

/**
 * Opens Pinfold as a part of your server: opens its stores, brings them up to this release, and composes the doors to
 * mount. Removes expired and stopped archives at least every ten minutes until it is closed.
 *
 * @throws SettingsError when an option is wrong or cannot be used, such as an unavailable database or bucket; Fault when
 * another store cannot be opened.
 *
 * @example
 * import express from 'express';
 * import { openPinfold } from 'pinfold';
 *
 * const pinfold = await openPinfold({ dataDir: './data', publicUrl: 'http://localhost:8080' });
 * const server = express().use(pinfold.viewer, pinfold.api).use('/manage', pinfold.management);
 * server.listen(8080, '127.0.0.1');
 */
export async function openPinfold(options: PinfoldOptions): Promise<Pinfold> {
  const settings = settingsIn(options);
  const { modules, ...others } = options;
  const addresses = webAddresses(settings, settings.port);
  // InversifyJS is loaded only for modules.
  const layer = modules === undefined ? undefined : (await import('./container.ts')).containerLayer(modules);
  const service = await openService(settings, () => addresses, others, layer);
  const { useCases, manageKeys, manageHistory: history } = service.composition;
  const close = once(async () => {
    try {
      await service.close(AbortSignal.timeout(MAX_STOP_TIME));
    } finally {
      await service.log.flush();
    }
  });
  try {
    const { api, viewer, management } = await service.doors('mounted');
    await service.logHealth();
    void service.watchHealth();
    service.storeViews();
    service.sweep();
    return {
      api: api as unknown as Middleware,
      viewer,
      management: management as unknown as Middleware,
      publish: useCases.publish,
      events: (request) => history.follow({ by: OPERATOR, ...request }),
      useCases: { ...useCases, keys: manageKeys },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The kind of each option, or the members of a part of your own: one without them would fail only when it is used. */
const OPTIONS = {
  dataDir: 'text',
  publicUrl: 'text',
  sitesUrl: 'text',
  viewerMode: 'text',
  database: 'text',
  storage: 'text',
  secret: 'text',
  trustProxy: 'text',
  logLevel: 'text',
  persistence: ['migrate', 'check', 'close'],
  archives: ['put', 'read', 'size', 'delete', 'list', 'check'],
  staging: ['receive', 'sweep', 'countAbandoned', 'check'],
  clock: ['now', 'sleep'],
  machine: ['uptime'],
  ids: ['role', 'archive', 'token', 'event', 'nameToken'],
  identityProvider: ['begin', 'finish'],
  signIn: ['detail', 'challenge', 'securityScheme'],
  access: 'object',
  branding: 'object',
  limits: 'object',
  modules: 'array',
  observers: 'array',
  authenticate: 'function',
  limitsOf: 'function',
  beforePublish: 'function',
  onEvent: 'function',
  observe: 'function',
  onRequest: 'function',
  addHeaders: 'function',
  log: 'function',
  administration: 'boolean',
  keyLimit: 'number',
} as const satisfies {
  readonly [Name in keyof PinfoldOptions]-?: string | readonly (keyof NonNullable<PinfoldOptions[Name]>)[];
};

/** Texts are settings of the reference server, in the same format. */
function settingsIn(options: PinfoldOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('openPinfold takes an object of options');
  }
  if (options.authenticate !== undefined && options.identityProvider !== undefined) {
    throw new SettingsError('identityProvider', 'must be absent where authenticate is given');
  }
  const given = { ...options, dataDir: options.dataDir ?? '', publicUrl: options.publicUrl ?? '' };
  const kinds = new Map<string, string | readonly string[]>(Object.entries(OPTIONS));
  for (const [name, value] of Object.entries(given)) check(name, value, kinds.get(name));
  if (options.observers?.some((observer) => typeof observer !== 'function')) {
    throw new SettingsError('observers', 'must contain only functions');
  }
  if (options.modules?.some((module) => typeof module?.load !== 'function')) {
    throw new SettingsError('modules', 'must contain only modules of InversifyJS 8: older ones do not fit');
  }
  const texts = Object.entries(given).filter(([name]) => kinds.get(name) === 'text');
  return settingsOf({ ...Object.fromEntries(texts), logLevel: options.logLevel ?? 'warn' });
}

/** Rejects misspelt and wrongly typed options: an ignored `acces` would show every site to everyone. */
function check(name: string, value: unknown, kind: string | readonly string[] | undefined): void {
  if (kind === undefined) throw new SettingsError(name, 'is not an option of openPinfold');
  if (value === undefined || (value === null && name === 'keyLimit')) return;
  if (kind === 'text') {
    if (typeof value === 'string' && value !== '') return;
    throw new SettingsError(name, 'must be a string that is not empty');
  }
  const [expected, members] = typeof kind === 'string' ? [kind, []] : ['object', kind];
  const found = Array.isArray(value) ? 'array' : typeof (value ?? undefined);
  if (found !== expected) throw new SettingsError(name, `must be of the kind ${expected}`);
  const missing = members.find(
    (member) => (value as Readonly<Record<string, unknown>>)[member] === undefined,
  );
  if (missing !== undefined) throw new SettingsError(name, `must have ${missing}`);
}
