import { once as onceEmitted } from 'node:events';
import type { Duration } from '@pinfold/core';
import { isError, sleepUnlessAborted } from '@pinfold/core/internal';
import type { Container } from 'inversify';
import type { MetricsServer } from '../metrics/metrics-server.ts';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.ts';
import { HttpServer } from '../server/http-server.ts';
import type { Log } from '../server/log.ts';
import { acceptMachineKey, readServerFile, writeServerFile } from '../server/machine-access.ts';
import { createRequestHandler } from '../server/request-handler.ts';
import { type AppOptions, checkOptions } from '../settings/options.ts';
import type { Settings } from '../settings/settings.ts';
import { resolveWebAddresses, type WebAddresses } from '../settings/web-addresses.ts';
import { type FirstStart, makeFirstStart } from '../start/first-start.ts';
import { createStartLink } from '../start/sign-in-link.ts';
import { type Layer, once } from './compose.ts';
import { makeDoors, openService } from './service.ts';

/** The state of a listening server. */
export interface Listening {
  readonly addresses: WebAddresses;
  readonly port: number;
  /** The port that serves metrics; absent if they are off. */
  readonly metricsPort: number | undefined;
  /** The results of the very first start; absent at later ones. The key in it is not shown again. */
  readonly firstStart: FirstStart | undefined;
  /**
   * Signs in to the management screen as the account `default`, once within an hour. Present only at the very first
   * start or on a terminal, because other output is often stored, and only if the database could store the link.
   */
  readonly signInLink: string | undefined;
}

/** The reference server. */
export interface App extends RunnableApp {
  /** All parts of the server, by the tokens of `@pinfold/inversify`. */
  readonly container: Container;
}

export interface RunnableApp {
  readonly log: Log;
  /** The number of processes in the settings. If it is one, call `listen`, else `join` and `lead`. */
  readonly workers: number;
  /**
   * Starts serving. The first start of an installation creates its key and welcome site before it answers.
   *
   * @throws SettingsError if the port or address cannot be used.
   */
  listen(): Promise<Listening>;
  /** For each of several processes: binds the port, and answers once `leaderReady` resolves. */
  join(leaderReady: Promise<void>): Promise<void>;
  /**
   * For the leader of several processes: does the first start, runs the cleanup, and serves the metrics of all
   * processes, if the settings enable them.
   */
  lead(port: number, metricsSnapshot?: () => readonly MetricsSnapshot[]): Promise<Listening>;
  /** The metrics of this process; absent if they are off. */
  readonly metricsSnapshot: (() => MetricsSnapshot) | undefined;
  readonly drainTime: Duration;
  /**
   * Reports at `/readyz` that the server stops, so that load balancers remove it. Until the time in the settings is
   * over or `close` is called, it still answers, also on new connections, and closes each connection with its next
   * answer.
   */
  drain(): Promise<void>;
  /**
   * Accepts no more connections, finishes running requests for at most 10 seconds, and closes everything. Further
   * calls wait for the same end.
   */
  close(): Promise<void>;
}

const MAX_STOP_TIME = 10_000;
/** The time in which aborted uploads remove their files. */
const LAST_STEPS = 1_000;

/**
 * Makes the reference server and opens its stores.
 *
 * @throws SettingsError when a setting cannot be used, such as an unavailable database or bucket; Fault when another
 * store cannot be opened.
 *
 * @example
 * import { createApp, readSettings } from 'pinfold';
 *
 * const app = await createApp(readSettings({ PINFOLD_PORT: '0', PINFOLD_WELCOME: 'off' }));
 * const { addresses } = await app.listen();
 * console.log(addresses.publicUrl);
 * await app.close();
 */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  checkOptions('createApp', options);
  const { createContainerLayer } = await import('./container.ts');
  const layer = createContainerLayer(options.modules);
  return { ...(await createRunnableApp(settings, options, layer)), container: layer.container };
}

/** Like `createApp`, without a container: InversifyJS would be a quarter of the modules that a start loads. */
export async function createRunnableApp(
  settings: Settings,
  { terminal, ...options }: AppOptions = {},
  layer?: Layer,
): Promise<RunnableApp> {
  let addresses = resolveWebAddresses(settings, settings.port);
  // Callers of an `authenticate` of your own administer only if you set `administration`.
  const administration = options.authenticate === undefined;
  const service = await openService(settings, () => addresses, { administration, ...options }, layer);
  const { composition, log, metrics } = service;
  const server = new HttpServer();
  let metricsServer: MetricsServer | undefined;
  let draining: Promise<unknown> | undefined;
  const drained = new AbortController();
  let hasStarted = false;
  let removeServerFile: (() => Promise<void>) | undefined;

  async function listenOnPort(): Promise<{ readonly port: number; readonly firstCheck: Promise<void> }> {
    const { port } = await server.listen(settings.port, settings.host);
    addresses = resolveWebAddresses(settings, port);
    return { port, firstCheck: service.watch() };
  }

  async function answer(firstCheck: Promise<void>): Promise<void> {
    const isStopping = (): boolean => draining !== undefined || server.stopping;
    const serverFile = () => readServerFile(settings.dataDir);
    const doors = await makeDoors(service, 'refuse', (authenticate) =>
      acceptMachineKey(authenticate, serverFile),
    );
    const handler = createRequestHandler(doors, service, serverFile, isStopping);
    // So that the first health request finds the results of a check.
    await firstCheck;
    server.answerWith(handler);
  }

  async function lead(
    port: number,
    otherSnapshots: () => readonly MetricsSnapshot[] = () => [],
    beforeListening: () => Promise<void> = async () => {},
  ): Promise<Listening> {
    addresses = resolveWebAddresses(settings, port);
    if (metrics !== undefined) {
      const { serveMetrics } = await import('../metrics/metrics-server.ts');
      const { metricsPort = 0, metricsHost } = settings;
      metricsServer = await serveMetrics(metricsPort, metricsHost, () => [
        metrics.snapshot(),
        ...otherSnapshots(),
      ]);
    }
    await service.logHealth();
    if (!server.leavesUnread) {
      log.warn(
        'this runtime parses HTTP differently: requests that a client sends before an earlier answer are read at once',
      );
    }
    const firstStart = await makeFirstStart(composition, log, settings);
    service.sweep();
    await beforeListening();
    hasStarted = true;
    const { dataDir, host } = settings;
    removeServerFile = await writeServerFile(dataDir, addresses, { host, port }, (error) =>
      log.warn(`server.json cannot be written or removed: ${isError(error) ? error.message : 'failed'}`),
    );
    const { publicUrl: url, viewerMode: viewer_mode } = addresses;
    const metricsPort = metricsServer?.port;
    log.info(`listening on ${host}:${port}`, { url, viewer_mode, metrics_port: metricsPort });
    const showsLink = firstStart !== undefined || (terminal ?? process.stdout.isTTY);
    const signInLink = showsLink ? await createStartLink(composition, addresses, log) : undefined;
    return { addresses, port, metricsPort, firstStart, signInLink };
  }

  const close = once(async () => {
    const cutOffSignal = AbortSignal.timeout(MAX_STOP_TIME - LAST_STEPS);
    const deadline = AbortSignal.timeout(MAX_STOP_TIME);
    drained.abort();
    const serviceClosed = service.close(deadline, server.stop(cutOffSignal));
    // By now the server reports to probes that it is stopping.
    const fileRemoved = removeServerFile?.();
    try {
      await Promise.race([Promise.all([serviceClosed, fileRemoved]), onceEmitted(deadline, 'abort')]);
      if (hasStarted) log.info('stopped');
    } finally {
      // Even if a store fails to close, free the port and write the log.
      await metricsServer?.close();
      await log.flush();
    }
  });

  return {
    log,
    workers: settings.workers,
    drainTime: settings.drain,
    metricsSnapshot: metrics && (() => metrics.snapshot()),
    listen: async () => {
      const { port, firstCheck } = await listenOnPort();
      return lead(port, undefined, () => answer(firstCheck));
    },
    join: async (leaderReady) => {
      const { firstCheck } = await listenOnPort();
      await leaderReady;
      await answer(firstCheck);
    },
    lead: async (port, metricsSnapshot) => {
      void service.watch();
      return lead(port, metricsSnapshot);
    },
    drain: async () => {
      server.drain();
      draining ??= sleepUnlessAborted(composition.useCases.clock, settings.drain, drained.signal);
      await draining;
    },
    close,
  };
}
