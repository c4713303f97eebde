import { isatty } from 'node:tty';
import type { IdentityProvider } from '@pinfold/core';
import { RequestLimiter, type RequestLog, Uploads } from '@pinfold/http';
import { outgoingBytes, systemMemory, withoutAdministration } from '@pinfold/http/internal';
import { type Authenticate, apiKeyAuthentication, createApi, type SignIn } from '@pinfold/http-express';
import type { Parts } from '@pinfold/inversify';
import { type BrandingOptions, createManagement, type ManagementOptions } from '@pinfold/management';
import { openIdConnect } from '@pinfold/oidc';
import { SystemClock } from '@pinfold/platform-node';
import { createViewer, type ViewerAccess } from '@pinfold/viewer';
import type { ContainerModule } from 'inversify';
import { Health } from '../health/health.ts';
import { freeBytes } from '../health/upload-disk.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { release } from '../release.ts';
import { runCleanupTimer, storeLastViews, storeViews } from '../server/background.ts';
import { clientAddress } from '../server/client-address.ts';
import { type Log, type LogSink, openLog } from '../server/log.ts';
import { orByMachineKey } from '../server/machine-key.ts';
import { requestLog } from '../server/request-log.ts';
import { orSettingsError } from '../settings/or-settings-error.ts';
import { given } from '../settings/read-option.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { siblingWarning } from '../start/sibling-warning.ts';
import { type ComposedService, type ComposeOptions, compose, type Layer, provideAll } from './compose.ts';
import { memoryBudget } from './memory-budget.ts';

/** Options in code, beside the settings. */
export interface ServiceOptions extends Omit<ComposeOptions, 'addresses'> {
  /** Loaded into the container: a module that calls `rebind` replaces an adapter of ours by yours. */
  readonly modules?: readonly ContainerModule[] | undefined;
  /** Receives the log's lines. Default: standard output. */
  readonly log?: LogSink | undefined;
  /** Identifies the caller of a request. Default: API keys, and sign-in links for the management screen. */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Whether callers and sessions of the scope `admin` administer the service, at `/admin/v1` and on the screen. Without
   * it both answer 404 there, and the scope is removed from what `authenticate` answers, which is logged once.
   */
  readonly administration?: boolean | undefined;
  /** An additional sign-in to the management screen, beside links and keys. Default: that of the settings. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** How 401, 403 and the API document describe your sign-in. Default: as API keys. */
  readonly signIn?: SignIn | undefined;
  /** Decides who may view sites. Default: everyone with the link, and with the password if there is one. */
  readonly access?: ViewerAccess | undefined;
  /** Called for each request of the doors when it is over. It must neither throw nor wait. */
  readonly onRequest?: RequestLog | undefined;
  /** Your own branding and texts of the management screen. */
  readonly branding?: BrandingOptions | undefined;
}

export type Doors = Pick<Parts, 'authenticate' | 'api' | 'viewer' | 'management'>;

export interface Service {
  readonly composition: ComposedService;
  readonly log: Log;
  readonly health: Health;
  readonly requests: RequestLog;
  readonly metrics: Metrics | undefined;
  /**
   * Makes the API, the viewer and the management screen with the current addresses: `alone` in the reference server, or
   * `mounted` in another one.
   */
  doors(place: 'alone' | 'mounted'): Promise<Doors>;
  /** Logs warnings about the settings, and changes of health from now on. */
  logHealth(): Promise<void>;
  /** Begins to check the stores; resolves when each has been checked once. */
  watchHealth(): Promise<void>;
  /** Begins to store the counts of views every ten seconds. */
  storeViews(): void;
  /** Begins to sweep every five to ten minutes. */
  sweep(): void;
  /** Ends the health checks and sweeps. */
  stop(): void;
  /** Stops, waits for running publications until the signal aborts, stores the counts of views, and closes the stores. */
  close(deadline: AbortSignal): Promise<void>;
}

/**
 * Composes the service with its log, metrics, health checks and background jobs.
 *
 * @throws SettingsError and Fault, as {@link compose} does; also for a bucket that cannot be used.
 */
export async function openService(
  settings: Settings,
  addresses: () => WebAddresses,
  options: Omit<ServiceOptions, 'modules'>,
  layer?: Layer,
): Promise<Service> {
  const names = { node: settings.node, version: await release() };
  const format = settings.logFormat ?? (options.log === undefined && isatty(1) ? 'text' : 'json');
  const log = openLog(settings.logLevel, options.log, { names, shared: settings.workers > 1, format });
  const health = new Health();
  // Loaded only if used: a start takes less time without.
  const metrics =
    settings.metricsPort === undefined
      ? undefined
      : (await import('../metrics/metrics.ts')).createMetrics(names);
  const uploads = new Uploads({
    clock: new SystemClock(),
    places: settings.uploads,
    admit: () => health.admitUpload(),
  });
  metrics?.uploads(uploads);
  const onRequest = withLoggedBugs('onRequest', options.onRequest, log);
  const observe = withLoggedBugs('observe', options.observe, log);
  const stopped = new AbortController();
  const composed = await compose(
    settings,
    {
      ...options,
      onEvent: withLoggedBugs('onEvent', options.onEvent, log),
      observe: (measurement) => {
        metrics?.observe(measurement);
        observe?.(measurement);
      },
      observers: [
        ...(options.observers ?? []),
        health.observer,
        ...(metrics === undefined ? [] : [metrics.observer]),
      ],
      addresses,
      stopping: stopped.signal,
    },
    layer,
  );
  const { ports, dataDir, manageHistory: history, countedViews: views, publications } = composed;
  // A wrong bucket would go unnoticed; an unavailable folder may be back soon.
  if (settings.storage.kind === 's3') {
    await orSettingsError('storage', () => ports.archives.check()).catch(async (error: unknown) => {
      await composed.close();
      throw error;
    });
  }
  const useCases = metrics?.counting(composed.useCases, ports.passwords) ?? composed.useCases;
  const { cleanUp, clock, limits } = useCases;
  const disk = { free: () => freeBytes(dataDir), archiveBytes: limits.archiveBytes };
  health.watch({ ...ports, ...(options.staging === undefined ? { disk } : {}) });
  metrics?.measure(health, dataDir, composed.pool);
  const logged = requestLog(log, settings, metrics?.request);
  const background: Promise<void>[] = [];
  const service: Omit<Service, 'doors'> = {
    composition: { ...composed, useCases },
    log,
    health,
    requests: (entry, request) => {
      logged(entry, request);
      onRequest?.(entry, request);
    },
    metrics,
    logHealth: async () => {
      health.logTo(log);
      const sibling = await siblingWarning(addresses());
      for (const note of [...settings.notes, ...(sibling === undefined ? [] : [sibling])]) log.warn(note);
    },
    watchHealth: () => {
      background.push(health.run(clock, stopped.signal));
      return health.probe();
    },
    storeViews: () => {
      background.push(storeViews({ views, clock, log }, stopped.signal));
    },
    sweep: () => {
      const measure = async (swept: boolean): Promise<void> => {
        const { roles, snapshot } = ports;
        await metrics?.sweeps.update({ roles, snapshot, clock, limits }, swept);
      };
      const tools = { cleanUp, history, views, clock, log, measure, random: Math.random };
      background.push(runCleanupTimer(tools, stopped.signal));
    },
    stop: () => stopped.abort(),
    close: async (deadline) => {
      stopped.abort();
      await publications.ended(deadline);
      await Promise.all(background);
      await storeLastViews({ views, log }, deadline);
      metrics?.close();
      await composed.close();
    },
  };
  const shared = { uploads, health: () => ({ ...health.report(), ...names }) };
  return {
    ...service,
    doors: (place) => makeDoors(service, settings, options, addresses(), shared, place),
  };
}

/**
 * Logs errors of a listener of the embedding team: its event has happened already. It may be asynchronous, too: an
 * unhandled rejection would end the process.
 */
function withLoggedBugs<Inputs extends readonly unknown[]>(
  name: string,
  listener: ((...inputs: Inputs) => unknown) | undefined,
  log: Log,
): ((...inputs: Inputs) => void) | undefined {
  if (listener === undefined) return undefined;
  return (...inputs) => {
    const heard = (async () => listener(...inputs))();
    heard.catch((error: unknown) => log.error(`${name} has thrown`, error));
  };
}

async function makeDoors(
  { composition, log, requests, metrics }: Omit<Service, 'doors'>,
  settings: Settings,
  options: ServiceOptions,
  { viewerMode: mode, ...urls }: WebAddresses,
  { uploads, health }: Pick<ManagementOptions, 'uploads' | 'health'>,
  place: 'alone' | 'mounted',
): Promise<Doors> {
  const { useCases, manageKeys, manageHistory: history, countedViews: views, layer } = composition;
  const address = clientAddress(settings.trustProxy);
  const { signIn, access, branding, administration } = options;
  const own =
    options.authenticate === undefined || administration
      ? options.authenticate
      : withoutAdministration(options.authenticate, (text) => log.warn(text));
  outgoingBytes.memory = systemMemory() / settings.workers;
  const { authenticate, viewer } = await provideAll(layer, {
    authenticate: () =>
      own ??
      apiKeyAuthentication(manageKeys, {
        onError: (error) => log.error('the use of a key could not be noted', error),
      }),
    viewer: () =>
      createViewer({
        ...memoryBudget(settings.workers).viewer,
        ...urls,
        mode,
        useCases,
        counter: views,
        clearCookies: settings.clearCookies,
        clientAddress: address,
        log: requests,
        ...given({ reportUrl: settings.reportUrl, statistics: metrics?.viewer, access }),
      }),
  });
  const { createGrant, openArchive } = viewer;
  const shared = {
    useCases,
    history,
    views,
    publicUrl: urls.publicUrl,
    uploads,
    // An account has one rate for both.
    requestLimiter: new RequestLimiter(),
    requestRate: settings.rates.requests,
    clientAddress: address,
    unknownPaths: place === 'alone' ? ('refuse' as const) : ('pass' as const),
    log: requests,
    createGrant,
    ...(administration ? { administration: composition.administration } : {}),
    ...(settings.historyAddresses ? { historyAddress: address } : {}),
  };
  const { api, management } = await provideAll(layer, {
    api: () =>
      createApi({
        ...shared,
        openArchive,
        // The server of this machine lets in whoever has the key that it left in the data folder.
        authenticate: place === 'alone' ? orByMachineKey(authenticate, settings.dataDir) : authenticate,
        ...given({ signIn }),
      }),
    management: () =>
      createManagement({
        ...shared,
        // Where the team decides who may look, the button would only be refused.
        ...(access === undefined ? { openArchive } : {}),
        health,
        keys: manageKeys,
        pairings: composition.managePairings,
        ...signedInBy(own, options.identityProvider ?? providerOf(settings.oidc), composition),
        ...given({ branding }),
      }),
  });
  return { authenticate, viewer, api, management };
}

/** A sign-in of the team's own is the only one. */
function signedInBy(
  authenticate: Authenticate | undefined,
  identityProvider: IdentityProvider | undefined,
  { manageSessions: sessions }: ComposedService,
): Pick<ManagementOptions, 'authenticate' | 'identityProvider' | 'sessions'> {
  if (authenticate !== undefined) return { authenticate };
  return { sessions, ...given({ identityProvider }) };
}

function providerOf(oidc: Settings['oidc']): IdentityProvider | undefined {
  return oidc === undefined ? undefined : openIdConnect({ ...oidc, clock: new SystemClock() });
}
