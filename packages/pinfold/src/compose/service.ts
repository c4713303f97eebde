import { isatty } from 'node:tty';
import type { IdentityProvider, Observe } from '@pinfold/core';
import { RequestLimiter, type RequestLog, Uploads } from '@pinfold/http';
import type { Authenticate, SignIn } from '@pinfold/http-express';
import type { BrandingOptions } from '@pinfold/management';
import { SystemClock } from '@pinfold/platform-node';
import type { ViewerAccess } from '@pinfold/viewer';
import type { ContainerModule } from 'inversify';
import { Health } from '../health/health.ts';
import { freeBytes } from '../health/upload-disk.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { release } from '../release.ts';
import { runCleanupTimer, storeLastViews, storeViews } from '../server/background.ts';
import { type Log, type LogSink, openLog } from '../server/log.ts';
import { requestLog } from '../server/request-log.ts';
import { orSettingsError } from '../settings/or-settings-error.ts';
import { given } from '../settings/read-option.ts';
import type { Settings } from '../settings/settings.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { siblingWarning } from '../start/sibling-warning.ts';
import { type ComposedService, type ComposeOptions, compose, type Layer } from './compose.ts';
import { type DoorOptions, type Doors, makeDoors } from './doors.ts';

/** Options in code, beside the settings. */
export interface ServiceOptions extends Omit<ComposeOptions, 'publicUrl'> {
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

export interface Service {
  readonly composition: ComposedService;
  readonly log: Log;
  readonly health: Health;
  readonly requests: RequestLog;
  readonly metrics: Metrics | undefined;
  /** Makes the API, the viewer and the management screen with the current addresses. */
  doors(options: Pick<DoorOptions, 'unknownPaths' | 'byMachineKey'>): Promise<Doors>;
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
  { log: sink, onRequest, ...options }: Omit<ServiceOptions, 'modules'>,
  layer?: Layer,
): Promise<Service> {
  const names = { node: settings.node, version: await release() };
  const format = settings.logFormat ?? (sink === undefined && isatty(1) ? 'text' : 'json');
  const log = openLog(settings.logLevel, sink, { names, shared: settings.workers > 1, format });
  const health = new Health();
  // Loaded only if used: a start takes less time without.
  const metrics =
    settings.metricsPort === undefined
      ? undefined
      : (await import('../metrics/metrics.ts')).createMetrics(names);
  const logged = requestLog(log, settings, metrics?.request);
  const heard = withLoggedBugs('onRequest', onRequest, log);
  const requests: RequestLog = (entry, request) => {
    logged(entry, request);
    heard?.(entry, request);
  };
  const uploads = new Uploads({
    clock: new SystemClock(),
    places: settings.uploads,
    admit: () => health.admitUpload(),
  });
  metrics?.uploads(uploads);
  const observers = [
    ...(options.observers ?? []),
    health.observer,
    ...(metrics === undefined ? [] : [metrics.observer]),
  ];
  const onEvent = withLoggedBugs('onEvent', options.onEvent, log);
  const observe = withLoggedBugs('observe', options.observe, log);
  const counted: Observe = (measurement) => {
    metrics?.observe(measurement);
    observe?.(measurement);
  };
  const stopped = new AbortController();
  const added = {
    ...given({ onEvent, observe: metrics === undefined ? observe : counted }),
    observers,
    publicUrl: () => addresses().publicUrl,
    stopping: stopped.signal,
  };
  const composed = await compose(settings, { ...options, ...added }, layer);
  const { ports, history, views } = composed;
  const useCases = metrics?.counting(composed.useCases, ports.passwords) ?? composed.useCases;
  const composition = { ...composed, useCases };
  const { archiveBytes } = useCases.limits;
  const disk = { free: () => freeBytes(composed.dataDir), archiveBytes };
  health.watch({ ...ports, ...(options.staging === undefined ? { disk } : {}) });
  await checkBucket(composition, settings);
  metrics?.measure(health, composition.dataDir, composition.pool);
  const { cleanUp, clock, limits } = useCases;
  const background: Promise<void>[] = [];
  return {
    composition,
    log,
    health,
    requests,
    metrics,
    doors: (door) =>
      makeDoors(composition, settings, {
        ...options,
        ...door,
        ...{ log, requests, uploads, requestLimiter: new RequestLimiter(), statistics: metrics?.viewer },
        health: () => ({ ...health.report(), ...names }),
        addresses: addresses(),
      }),
    logHealth: () => {
      health.logTo(log);
      return warn(log, settings, addresses());
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
      await composition.publications.ended(deadline);
      await Promise.all(background);
      await storeLastViews({ views, log }, deadline);
      metrics?.close();
      await composition.close();
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
  log: Log,
): ((...inputs: Inputs) => void) | undefined {
  if (listener === undefined) return undefined;
  const heard = async (...inputs: Inputs): Promise<void> => {
    try {
      await listener(...inputs);
    } catch (error) {
      log.error(`${name} has thrown`, error);
    }
  };
  return (...inputs) => void heard(...inputs);
}

/**
 * Stops the start if the bucket cannot be used: otherwise a wrong bucket would go unnoticed. An unavailable folder does not
 * stop the start, since it may be back soon.
 */
async function checkBucket({ ports, close }: ComposedService, { storage }: Settings): Promise<void> {
  if (storage.kind === 'files') return;
  try {
    await orSettingsError('storage', () => ports.archives.check());
  } catch (error) {
    await close();
    throw error;
  }
}

async function warn(log: Log, settings: Settings, addresses: WebAddresses): Promise<void> {
  const sibling = await siblingWarning(addresses);
  for (const note of [...settings.notes, ...(sibling === undefined ? [] : [sibling])]) log.warn(note);
}
