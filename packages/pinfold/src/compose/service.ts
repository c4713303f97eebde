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
import { release } from '../release.ts';
import { runCleanupTimer, storeLastViews, storeViews } from '../server/background.ts';
import { type Clients, identifyClients } from '../server/client-address.ts';
import { type Log, openLog } from '../server/log.ts';
import { createRequestLog } from '../server/request-log.ts';
import type { ServiceOptions } from '../settings/options.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { siblingWarning } from '../start/sibling-warning.ts';
import { type ComposedService, compose, type Doors, type Layer, provideAll } from './compose.ts';
import { memoryBudget } from './memory-budget.ts';

/** A service without its doors. */
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
  /** The names of the node and of this release. */
  readonly names: { readonly node: string; readonly version: string };
  /** Logs warnings about the settings, and changes of health from now on. */
  logHealth(): Promise<void>;
  /** Begins to check the stores, and to store the counts of views; resolves when each store has been checked once. */
  watch(): Promise<void>;
  /** Begins to sweep every five to ten minutes. */
  sweep(): void;
  /**
   * Ends the health checks and sweeps; once `served`, waits for running publications until the signal aborts, stores the
   * counts of views, and closes the stores.
   */
  close(deadline: AbortSignal, served?: Promise<void>): Promise<void>;
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
  const names = { node: settings.node, version: await release() };
  const format = settings.logFormat ?? (options.log === undefined && isatty(1) ? 'text' : 'json');
  const sink = withLoggedBugs('log', options.log, console);
  const log = openLog(settings.logLevel, sink, { names, shared: settings.workers > 1, format });
  const health = new Health();
  // Loaded only if used: a start takes less time without.
  const metrics =
    settings.metricsPort === undefined
      ? undefined
      : (await import('../metrics/metrics.ts')).createMetrics(names);
  const admit = () => health.admitUpload();
  const uploads = new Uploads({ clock: new SystemClock(), places: settings.uploads, admit });
  metrics?.uploads(uploads);
  const onRequest = withLoggedBugs('onRequest', options.onRequest, log);
  const measured = withLoggedBugs('observe', options.observe, log);
  const stopped = new AbortController();
  const composed = await compose(
    settings,
    {
      ...options,
      onEvent: withLoggedBugs('onEvent', options.onEvent, log),
      observe: (measurement) => {
        metrics?.observe(measurement);
        measured?.(measurement);
      },
      observers: [...(options.observers ?? []), health.observer, ...(metrics ? [metrics.observer] : [])],
      addresses,
      stopping: stopped.signal,
    },
    layer,
  );
  const { ports, free, manageHistory: history, countedViews: views, publications } = composed;
  const useCases = metrics?.counting(composed.useCases, ports.passwords) ?? composed.useCases;
  const { cleanUp, clock, limits } = useCases;
  const disk = options.staging === undefined ? { free, archiveBytes: limits.archiveBytes } : undefined;
  health.watch({ ...ports, disk });
  metrics?.measure(health, free, composed.pool);
  const clients = identifyClients(settings.trustProxy);
  const logged = createRequestLog(log, settings, clients.addressOf, metrics?.request);
  const background: Promise<void>[] = [];
  return {
    settings,
    options,
    addresses,
    composition: { ...composed, useCases },
    log,
    health,
    requests: (entry, request) => {
      logged(entry, request);
      onRequest?.(entry, request);
    },
    clients,
    uploads,
    metrics,
    names,
    logHealth: async () => {
      health.logTo(log);
      const sibling = await siblingWarning(addresses());
      for (const note of [...settings.notes, ...(sibling === undefined ? [] : [sibling])]) log.warn(note);
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
    close: async (deadline, served) => {
      stopped.abort();
      await served;
      await publications.ended(deadline);
      await Promise.all(background);
      await storeLastViews({ views, log }, deadline);
      metrics?.close();
      await composed.close().finally(() => log.flush());
    },
  };
}

/**
 * Logs errors of a listener of the embedding team: its event has happened already. It may be asynchronous, too: an
 * unhandled rejection would end the process.
 */
function withLoggedBugs<Inputs extends readonly unknown[]>(
  name: string,
  listener: ((...inputs: Inputs) => unknown) | undefined,
  log: Pick<Log, 'error'>,
): ((...inputs: Inputs) => void) | undefined {
  if (listener === undefined) return undefined;
  return (...inputs) => {
    const heard = (async () => listener(...inputs))();
    heard.catch((error: unknown) => log.error(`${name} has thrown`, error));
  };
}

/**
 * Makes the API, the viewer and the management screen with the current addresses.
 *
 * @param unknownPaths whether the API and the screen refuse paths that are not theirs, or pass them on.
 * @param guarded may let more callers in.
 */
export async function makeDoors(
  service: Service,
  unknownPaths: 'refuse' | 'pass',
  guarded: (authenticate: Authenticate) => Authenticate = (authenticate) => authenticate,
): Promise<Doors> {
  const { settings, options, composition, log, requests, clients, health, names } = service;
  const { useCases, manageKeys: keys, manageHistory: history, countedViews: views } = composition;
  const { viewerMode: mode, ...urls } = service.addresses();
  const { signIn, access, branding } = options;
  const own =
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
    // An account has one rate for both.
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
      own ??
      apiKeyAuthentication(keys, {
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
        clientAddress: clients.addressOf,
        log: requests,
        reportUrl: settings.reportUrl,
        statistics: service.metrics?.viewer,
        access,
      }),
    api: ({ authenticate, viewer: { createGrant, openArchive } }) =>
      createApi({ ...shared, createGrant, openArchive, authenticate: guarded(authenticate), signIn }),
    management: ({ viewer: { createGrant, openArchive } }) =>
      createManagement({
        ...shared,
        createGrant,
        // Where the team decides who may look, the button would only be refused.
        openArchive: access === undefined ? openArchive : undefined,
        health: () => ({ ...health.report(), ...names }),
        keys,
        pairings: composition.managePairings,
        // A sign-in of the team's own is the only one.
        ...(own === undefined
          ? { sessions: composition.manageSessions, identityProvider }
          : { authenticate: own }),
        branding,
      }),
  });
}
