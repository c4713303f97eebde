import { once as onceEmitted } from 'node:events';
import type { Duration } from '@pinfold/core';
import { sleepUnlessAborted } from '@pinfold/core/internal';
import type { Container } from 'inversify';
import type { MetricsServer } from '../metrics/metrics-server.ts';
import type { Snapshot } from '../metrics/metrics-snapshot.ts';
import { HttpServer } from '../server/http-server.ts';
import type { Log } from '../server/log.ts';
import { requestHandler } from '../server/request-handler.ts';
import { writeServerFile } from '../server/server-file.ts';
import type { Settings } from '../settings/settings.ts';
import { type WebAddresses, webAddresses } from '../settings/web-addresses.ts';
import {
  DEFAULT_ACCOUNT,
  type FirstStart,
  findUntouched,
  makeFirstStart,
  type Untouched,
} from '../start/first-start.ts';
import { offerSignInLinkIfPossible } from '../start/sign-in-link.ts';
import { type Layer, once } from './compose.ts';
import { openService, type ServiceOptions } from './service.ts';

/** Options of the reference server in code, beside the settings. */
export interface AppOptions extends ServiceOptions {
  /** Whether a person reads what is printed. By default, whether standard output is a terminal. */
  readonly terminal?: boolean;
}

/** What a server tells about itself once it listens. */
export interface Listening {
  readonly addresses: WebAddresses;
  readonly port: number;
  /** The port that metrics are asked for on; absent where the settings want none. */
  readonly metricsPort: number | undefined;
  /** What the very first start made; absent at later ones. Its key is shown nowhere else. */
  readonly firstStart: FirstStart | undefined;
  /** Who sees how to begin on a start that is not the first: keys were made before it, and nothing was done yet. */
  readonly untouched: Untouched | undefined;
  /**
   * Signs in to the management screen as the account `default`, once and within the hour. Present only at the very
   * first start or on a terminal, since output is often stored, and only if the database could store the link.
   */
  readonly signInLink: string | undefined;
}

/** The reference server. */
export interface App extends RunnableApp {
  /** Holds everything the server is made of, under the tokens of `@pinfold/inversify`. */
  readonly container: Container;
}

export interface RunnableApp {
  readonly log: Log;
  /** How many processes the settings ask for. One is what `listen` makes of this one. */
  readonly workers: number;
  /**
   * Starts serving. If this is the first start of an installation, its key and welcome site are made before any answer.
   *
   * @throws SettingsError when the port or the address cannot be had.
   */
  listen(): Promise<Listening>;
  /** Takes the port, and answers once `led` resolves: for one of several processes whose leader calls `lead`. */
  join(led: Promise<void>): Promise<void>;
  /**
   * What one process does for those that share a port: makes the first start if this is one, sweeps, and answers for
   * their metrics, where the settings want any.
   */
  lead(port: number, figures?: () => readonly Snapshot[]): Promise<Listening>;
  /** What this process counts now; absent where the settings want no metrics. */
  readonly figures: (() => Snapshot) | undefined;
  readonly drainTime: Duration;
  /**
   * Reports at `/readyz` that the server stops, and still answers, also new connections, for as long as the settings
   * say, or until `close`: a balancer can leave it first. Each connection is closed with its next answer.
   */
  drain(): Promise<void>;
  /**
   * Takes no more connections, finishes what runs, for 10 seconds at most, and closes everything. Calling it again
   * waits for the same end.
   */
  close(): Promise<void>;
}

const LONGEST_STOP = 10_000;
/** The grace period in which aborted uploads remove their files. */
const LAST_STEPS = 1_000;

/**
 * Makes the reference server: opens its stores as the settings say.
 *
 * @throws SettingsError when a setting cannot be carried out, a database or a bucket that cannot be used among them;
 * Fault when another store cannot be opened.
 *
 * @example
 * import { createApp, readSettings } from 'pinfold';
 *
 * const app = await createApp(readSettings({ PINFOLD_PORT: '0', PINFOLD_WELCOME: 'off' }));
 * const { addresses } = await app.listen();
 * console.log(addresses.publicUrl);
 * await app.close();
 */
export async function createApp(settings: Settings, { modules, ...options }: AppOptions = {}): Promise<App> {
  const { containerLayer } = await import('./container.ts');
  const layer = containerLayer(modules);
  return { ...(await createRunnableApp(settings, options, layer)), container: layer.container };
}

/** The same without a container: a quarter of the modules that a start would load are InversifyJS. */
export async function createRunnableApp(
  settings: Settings,
  options: Omit<AppOptions, 'modules'> = {},
  layer?: Layer,
): Promise<RunnableApp> {
  const { terminal, ...serviceOptions } = {
    // Callers of a team's own administer only where the team asks for that.
    administration: options.authenticate === undefined,
    ...options,
  };
  let addresses = webAddresses(settings, settings.port);
  const service = await openService(settings, () => addresses, serviceOptions, layer);
  const { composition, health, log, metrics, requests } = service;
  let metricsServer: MetricsServer | undefined;
  const server = new HttpServer();
  let draining: Promise<unknown> | undefined;
  const drained = new AbortController();
  let isListening = false;
  let removeServerFile: (() => Promise<void>) | undefined;

  async function takePort(): Promise<number> {
    const { port } = await server.listen(settings.port, settings.host);
    addresses = webAddresses(settings, port);
    return port;
  }

  async function answer(looked: Promise<void>): Promise<void> {
    const isStopping = (): boolean => draining !== undefined || server.stopping;
    const state = { log: requests, health, isStopping };
    const handler = requestHandler(await service.doors(), composition.ports, settings, addresses, state);
    // The first probe is answered from a check.
    await looked;
    server.answerWith(handler);
    service.storeViews();
  }

  async function lead(
    port: number,
    others: () => readonly Snapshot[],
    begin: () => Promise<void> = async () => {},
  ): Promise<Listening> {
    addresses = webAddresses(settings, port);
    const metricsPort = await answerForMetrics(others);
    await service.tell();
    const firstStart = await makeFirstStart(composition, log, settings);
    const untouched = firstStart === undefined ? await findUntouched(composition, settings) : undefined;
    service.sweep();
    await begin();
    isListening = true;
    const { dataDir, host } = settings;
    removeServerFile = await writeServerFile(dataDir, addresses, { host, port }).catch((error: unknown) => {
      log.warn(`server.json cannot be written: ${error instanceof Error ? error.message : 'failed'}`);
      return undefined;
    });
    log.info(`listening on ${host}:${port}`, {
      url: addresses.publicUrl,
      viewer_mode: addresses.viewerMode,
      metrics_port: metricsPort,
    });
    const isTold = firstStart !== undefined || (terminal ?? process.stdout.isTTY);
    const signInLink = isTold
      ? await offerSignInLinkIfPossible(composition, addresses, DEFAULT_ACCOUNT, log)
      : undefined;
    return { addresses, port, metricsPort, firstStart, untouched, signInLink };
  }

  async function answerForMetrics(others: () => readonly Snapshot[]): Promise<number | undefined> {
    if (metrics === undefined || settings.metricsPort === undefined) return undefined;
    const [{ serveMetrics }, { merged }] = await Promise.all([
      import('../metrics/metrics-server.ts'),
      import('../metrics/metrics-snapshot.ts'),
    ]);
    const read = (): Snapshot => merged([metrics.snapshot(), ...others()]);
    metricsServer = await serveMetrics(settings.metricsPort, settings.metricsHost, read);
    return metricsServer.port;
  }

  const close = once(async () => {
    const cutOff = AbortSignal.timeout(LONGEST_STOP - LAST_STEPS);
    const deadline = AbortSignal.timeout(LONGEST_STOP);
    drained.abort();
    service.stop();
    const ended = server.stop(cutOff).then(() => service.close(deadline));
    // The server is stopping by now, and says so to probes.
    const removed = removeServerFile?.();
    try {
      await Promise.race([Promise.all([ended, removed]), onceEmitted(deadline, 'abort')]);
      if (isListening) log.info('stopped');
    } finally {
      // A store that fails to close must leave neither a port nor a line of the log behind.
      await metricsServer?.close();
      await log.flush();
    }
  });

  return {
    log,
    workers: settings.workers,
    drainTime: settings.drain,
    figures: metrics === undefined ? undefined : () => metrics.snapshot(),
    listen: async () => {
      const port = await takePort();
      const looked = service.watchHealth();
      return lead(
        port,
        () => [],
        () => answer(looked),
      );
    },
    join: async (led) => {
      await takePort();
      const looked = service.watchHealth();
      await led;
      await answer(looked);
    },
    lead: async (port, figures = () => []) => {
      void service.watchHealth();
      return lead(port, figures);
    },
    drain: async () => {
      server.drain();
      draining ??= sleepUnlessAborted(composition.useCases.clock, settings.drain, drained.signal);
      await draining;
    },
    close,
  };
}
