import { isatty } from 'node:tty';
import { RequestLimiter, type RequestLog, Uploads } from '@pinfold/http';
import { outgoingBytes, systemMemory, withoutAdministration } from '@pinfold/http/internal';
import { type Authenticate, apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createManagement } from '@pinfold/management';
import { openIdConnect } from '@pinfold/oidc';
import { SystemClock } from '@pinfold/platform-node';
import { createViewer } from '@pinfold/viewer';
import { Health } from '../health/health.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { readRelease } from '../release.ts';
import { runCleanupTimer, storeLastViews, storeViews } from '../server/background.ts';
import { type Clients, identifyClients } from '../server/client-address.ts';
import { createRequestLog, type Log, openLog } from '../server/log.ts';
import type { ServiceOptions } from '../settings/options.ts';
import type { Settings } from '../settings/settings.ts';
import { sharedDomainNotes, type WebAddresses } from '../settings/web-addresses.ts';
import { type ComposedService, compose, type Doors, type Layer, provideAll } from './compose.ts';
import { createMemoryBudget } from './memory-budget.ts';

/** A service without its API, viewer and management screen. */
export interface Service {
  readonly settings: Settings;
  readonly options: ServiceOptions;
  readonly addresses: () => WebAddresses;
  readonly composition: ComposedService;
  readonly log: Log;
  readonly health: Health;
  readonly requests: RequestLog;
  readonly clients: Clients;
  readonly uploads: Uploads;
  readonly metrics: Metrics | undefined;
  /** The name of the node and the version of this release. */
  readonly names: { readonly node: string; readonly version: string };
  /** Logs warnings about the settings, and from now on changes of health. */
  logHealth(): Promise<void>;
  /** Starts the health checks and the storing of view counts; resolves after the first check of each store. */
  watch(): Promise<void>;
  /** Starts a sweep every five to ten minutes. */
  sweep(): void;
  /**
   * Stops the health checks and sweeps. After `serverStopped` it waits for running publications until the deadline, stores
   * the view counts, and closes the stores.
   */
  close(deadline: AbortSignal, serverStopped?: Promise<void>): Promise<void>;
}

/**
 * Composes the service with its log, metrics, health checks and background jobs.
 *
 * @throws SettingsError and Fault, as {@link compose} does.
 */
export async function openService(
  settings: Settings,
  addresses: () => WebAddresses,
  options: ServiceOptions,
  layer?: Layer,
): Promise<Service> {
  const names = { node: settings.node, version: await readRelease() };
  const format = settings.logFormat ?? (options.log === undefined && isatty(1) ? 'text' : 'json');
  const sink = withLoggedBugs('log', options.log, console);
  const log = openLog(settings.logLevel, sink, { names, shared: settings.workers > 1, format });
  const health = new Health();
  // Loaded on demand, for a faster start.
  const metrics =
    settings.metricsPort === undefined
      ? undefined
      : (await import('../metrics/metrics.ts')).createMetrics(names);
  const admit = () => health.admitUpload();
  const uploads = new Uploads({ clock: new SystemClock(), places: settings.uploads, admit });
  metrics?.addUploads(uploads);
  const onRequest = withLoggedBugs('onRequest', options.onRequest, log);
  const onMeasurement = withLoggedBugs('observe', options.observe, log);
  const stopped = new AbortController();
  const composed = await compose(
    settings,
    {
      ...options,
      onEvent: withLoggedBugs('onEvent', options.onEvent, log),
      observe: (measurement) => {
        metrics?.observe(measurement);
        onMeasurement?.(measurement);
      },
      observers: [...(options.observers ?? []), health.observer, ...(metrics ? [metrics.storeObserver] : [])],
      addresses,
      stopping: stopped.signal,
    },
    layer,
  );
  const { ports, manageHistory: history, countedViews: views, publications } = composed;
  const useCases = metrics?.countCalls(composed.useCases, ports.passwords) ?? composed.useCases;
  const { cleanUp, clock, limits } = useCases;
  const free = metrics?.measureFreeSpace(composed.free) ?? composed.free;
  const disk = options.staging === undefined ? { free, archiveBytes: limits.archiveBytes } : undefined;
  health.watch({ ...ports, disk });
  health.logRefusalsTo(log);
  metrics?.measure(health, composed.pool);
  const clients = identifyClients(settings.trustProxy);
  const logRequest = createRequestLog(log, settings, clients.addressOf, metrics?.countRequest);
  const background: Promise<void>[] = [];
  return {
    settings,
    options,
    addresses,
    composition: { ...composed, useCases },
    log,
    health,
    requests: (entry, request) => {
      logRequest(entry, request);
      onRequest?.(entry, request);
    },
    clients,
    uploads,
    metrics,
    names,
    logHealth: async () => {
      health.logTo(log);
      for (const note of [...settings.notes, ...(await sharedDomainNotes(addresses()))]) log.warn(note);
    },
    watch: () => {
      background.push(health.run(clock, stopped.signal), storeViews({ views, clock, log }, stopped.signal));
      return health.probe();
    },
    sweep: () => {
      const measure = async (swept: boolean): Promise<void> => {
        const { roles, snapshot } = ports;
        await metrics?.sweeps.update({ roles, snapshot, clock, limits }, swept);
      };
      const tools = { cleanUp, history, views, clock, log, measure, random: Math.random };
      background.push(runCleanupTimer(tools, stopped.signal));
    },
    close: async (deadline, serverStopped) => {
      stopped.abort();
      await serverStopped;
      await publications.ended(deadline);
      await Promise.all(background);
      await storeLastViews({ views, log }, deadline);
      metrics?.close();
      await composed.close().finally(() => log.flush());
    },
  };
}

/**
 * Wraps a listener of the embedding team and logs its errors, because its event has already happened. Also catches
 * rejections, which would end the process.
 */
function withLoggedBugs<Inputs extends readonly unknown[]>(
  name: string,
  listener: ((...inputs: Inputs) => unknown) | undefined,
  log: Pick<Log, 'error'>,
): ((...inputs: Inputs) => void) | undefined {
  if (listener === undefined) return undefined;
  return (...inputs) => {
    const called = (async () => listener(...inputs))();
    called.catch((error: unknown) => log.error(`${name} threw an error`, error));
  };
}

/**
 * Creates the API, the viewer and the management screen with the current addresses.
 *
 * @param unknownPaths whether the API and the screen refuse unknown paths, or pass them to the next handler.
 *
 * @param extendAuthentication extends the authentication of the API.
 */
export async function makeDoors(
  service: Service,
  unknownPaths: 'refuse' | 'pass',
  extendAuthentication: (authenticate: Authenticate) => Authenticate = (authenticate) => authenticate,
): Promise<Doors> {
  const { settings, options, composition, log, requests, clients, health, names } = service;
  const { useCases, manageKeys: keys, manageHistory: history, countedViews: views } = composition;
  const { viewerMode: mode, ...urls } = service.addresses();
  const { signIn, access, branding } = options;
  const ownAuthenticate =
    options.authenticate && !options.administration
      ? withoutAdministration(options.authenticate, (text) => log.warn(text))
      : options.authenticate;
  const { oidc } = settings;
  const identityProvider =
    options.identityProvider ?? (oidc && openIdConnect({ ...oidc, clock: new SystemClock() }));
  outgoingBytes.memory = systemMemory() / settings.workers;
  const shared = {
    useCases,
    history,
    views,
    publicUrl: urls.publicUrl,
    uploads: service.uploads,
    // Shared, because an account has one request rate for the API and the screen.
    requestLimiter: new RequestLimiter(),
    requestRate: settings.rates.requests,
    clientAddress: clients.addressOf,
    unknownPaths,
    log: requests,
    administration: options.administration ? composition.administration : undefined,
    historyAddress: settings.historyAddresses ? clients.addressOf : undefined,
  };
  return provideAll(composition.layer, {
    authenticate: () =>
      ownAuthenticate ??
      apiKeyAuthentication(keys, {
        onError: (error) => log.error('the use of a key could not be recorded', error),
      }),
    viewer: () =>
      createViewer({
        ...createMemoryBudget(settings.workers).viewer,
        ...urls,
        mode,
        useCases,
        counter: views,
        clearCookies: settings.clearCookies,
        clientAddress: clients.addressOf,
        log: requests,
        reportUrl: settings.reportUrl,
        statistics: service.metrics?.addViewer,
        access,
      }),
    api: ({ authenticate, viewer: { createGrant, openArchive } }) =>
      createApi({
        ...shared,
        createGrant,
        openArchive,
        authenticate: extendAuthentication(authenticate),
        signIn,
      }),
    management: ({ viewer: { createGrant, openArchive } }) =>
      createManagement({
        ...shared,
        createGrant,
        // With an `access` of your own, the viewer would refuse to open the archive.
        openArchive: access === undefined ? openArchive : undefined,
        health: () => ({ ...health.report(), ...names }),
        keys,
        pairings: composition.managePairings,
        // An `authenticate` of your own replaces all other sign-ins.
        ...(ownAuthenticate === undefined
          ? { sessions: composition.manageSessions, identityProvider }
          : { authenticate: ownAuthenticate }),
        branding,
      }),
  });
}
