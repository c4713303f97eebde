import { tokens } from '@pinfold/inversify';
import type { Container } from 'inversify';
import { runCleanupTimer } from './cleanup-timer.ts';
import { type Composition, type CompositionOptions, openComposition } from './composition.ts';
import {
  DEFAULT_ACCOUNT,
  type FirstStart,
  findUntouched,
  makeFirstStart,
  type Untouched,
} from './first-start.ts';
import { HttpServer } from './http-server.ts';
import { type Log, type LogSink, openLog } from './log.ts';
import { httpModules, requestHandler } from './request-handler.ts';
import { carriedOut } from './settings/carried-out.ts';
import type { Settings } from './settings/settings.ts';
import { type WebAddresses, webAddresses } from './settings/web-addresses.ts';
import { offerSignInLinkIfPossible } from './sign-in-link.ts';

/** What the settings leave to code. */
export interface AppOptions extends CompositionOptions {
  /** Takes the log's lines; standard output when absent. */
  readonly log?: LogSink;
}

/** What a server says of itself when it has begun to listen. */
export interface Listening {
  readonly addresses: WebAddresses;
  /** The port that is listened on. */
  readonly port: number;
  /** What the very first start made; absent at every later one. Its key is shown nowhere else. */
  readonly firstStart: FirstStart | undefined;
  /** Whom to tell how to begin, though this is no first start: keys were made before it, and nothing was done yet. */
  readonly untouched: Untouched | undefined;
  /**
   * Signs in to the management screen as the account `default`, once and within the hour. Absent when the database
   * could not note it, on a full disk for example.
   */
  readonly signInLink: string | undefined;
}

/** The reference server. */
export interface App {
  /** Everything it is made of, by the tokens of `@pinfold/inversify`. */
  readonly container: Container;
  readonly log: Log;
  /** How many processes the settings ask for. One is what `listen` makes of this one. */
  readonly workers: number;
  /**
   * Begins to serve; before any answer, the first start is made if this is one.
   *
   * @throws SettingsError when the port or the address cannot be had.
   */
  listen(): Promise<Listening>;
  /**
   * Begins to serve as one of several processes that share a port, and whose leader calls `lead`: takes the port, and
   * answers once `led` resolves.
   *
   * @throws SettingsError when the port or the address cannot be had.
   */
  join(led: Promise<void>): Promise<void>;
  /** What one process does for those that share a port: makes the first start if this is one, and sweeps. */
  lead(port: number): Promise<Listening>;
  /**
   * Takes no more connections, finishes what runs, for 10 seconds at most, and closes everything. Calling it again
   * waits for the same end.
   */
  close(): Promise<void>;
}

const LONGEST_STOP = 10_000;
/** What of it is kept for those that were cut off: they remove the files of their uploads. */
const LAST_STEPS = 1_000;

/**
 * Makes the reference server: opens its stores as the settings say.
 *
 * @throws SettingsError when a setting cannot be carried out, a database or a bucket that cannot be used among them;
 * Fault when another store cannot be opened.
 *
 * @example
 * const app = await createApp(readSettings(process.env));
 * await app.listen();
 */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  const log = openLog(settings.logLevel, options.log, settings.workers > 1);
  let addresses = webAddresses(settings, settings.port);
  const http = httpModules(settings, log, () => addresses);
  const composition = await openComposition(settings, {
    ...options,
    modules: [...http, ...(options.modules ?? [])],
  });
  await lookAtStorage(composition, settings, log);
  const server = new HttpServer();
  const stopped = new AbortController();
  let background: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;

  async function takePort(): Promise<number> {
    const { port } = await server.listen(settings.port, settings.host);
    addresses = webAddresses(settings, port);
    return port;
  }

  async function answer(): Promise<void> {
    server.answerWith(await requestHandler(composition.container, log, addresses, () => server.stopping));
  }

  async function lead(port: number): Promise<Omit<Listening, 'signInLink'>> {
    addresses = webAddresses(settings, port);
    await warn(log, settings, addresses);
    const firstStart = await makeFirstStart(composition, log, settings);
    const untouched = firstStart === undefined ? await findUntouched(composition, settings) : undefined;
    background = runCleanupTimer(cleanupOf(composition, log), stopped.signal);
    return { addresses, port, firstStart, untouched };
  }

  async function welcomed(listening: Omit<Listening, 'signInLink'>): Promise<Listening> {
    log.info(`listening on ${settings.host}:${listening.port}`, {
      url: addresses.publicUrl,
      viewer_mode: addresses.viewerMode,
    });
    const signInLink = await offerSignInLinkIfPossible(composition, addresses, DEFAULT_ACCOUNT, log);
    return { ...listening, signInLink };
  }

  async function close(): Promise<void> {
    const cutOff = AbortSignal.timeout(LONGEST_STOP - LAST_STEPS);
    const deadline = AbortSignal.timeout(LONGEST_STOP);
    stopped.abort();
    await Promise.race([endAll(cutOff, deadline), aborted(deadline)]);
    log.flush();
  }

  async function endAll(cutOff: AbortSignal, deadline: AbortSignal): Promise<void> {
    await server.stop(cutOff);
    await composition.publications.ended(deadline);
    await background;
    await composition.close();
  }

  return {
    container: composition.container,
    log,
    workers: settings.workers,
    listen: async () => {
      const led = await lead(await takePort());
      await answer();
      return welcomed(led);
    },
    join: async (led) => {
      await takePort();
      await led;
      await answer();
    },
    lead: async (port) => welcomed(await lead(port)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

async function warn(log: Log, settings: Settings, addresses: WebAddresses): Promise<void> {
  const { siblingWarning } = await import('./sibling-warning.ts');
  const sibling = siblingWarning(addresses);
  for (const note of [...settings.notes, ...(sibling === undefined ? [] : [sibling])]) log.warn(note);
}

/**
 * A bucket that cannot be used stops the start: nobody would look at a node that came up without one. A folder that
 * is away may be back soon, and keeps nobody from starting.
 */
async function lookAtStorage(
  { container, publications, close }: Composition,
  { storage }: Settings,
  log: Log,
): Promise<void> {
  const check = (): Promise<void> => container.get(tokens.archives).check();
  if (storage.kind === 'files') {
    void check().catch((error: unknown) => log.error('the storage does not answer', error));
    return;
  }
  try {
    await carriedOut('PINFOLD_STORAGE_URL', check);
  } catch (error) {
    await close();
    throw error;
  }
  void publications.check().catch((error: unknown) => log.error('uploads cannot be received now', error));
}

function cleanupOf({ useCases }: Composition, log: Log): Parameters<typeof runCleanupTimer>[0] {
  return { cleanUp: useCases.cleanUp, clock: useCases.clock, log, random: Math.random };
}
