import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isFault } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import { isUnavailable } from '../command-line/failures.ts';
import type { RunnableApp } from '../compose/create-app.ts';
import { receiveWorkerMetrics, sendMetricsToLeader } from '../metrics/metrics-snapshot.ts';
import type { Log } from '../server/log.ts';
import { errorText, SettingsError } from '../settings/settings-error.ts';
import { formatStartBlock } from './first-start.ts';
import { isWorker, leaderMessages, Workers } from './workers.ts';

/**
 * How much the heap may grow before V8 collects all of it again. V8 counts the bytes of uploads on their way to the
 * disk, and would collect after every 10 MiB: a quarter of the cost of publishing.
 */
const HEAP_GROWING_PERCENT = 200;

/**
 * How full the young generation is when V8 collects it in an idle moment. The bytes of uploads are freed with it; at
 * V8's default of 80 % there are so many that V8 collects the whole heap instead, which takes longer.
 */
const YOUNG_FULL_PERCENT = 20;

/**
 * The niceness of V8's own threads on a single core. With the same priority as requests, each of the four garbage
 * collectors would run for some milliseconds at a time, and requests would wait for all of them.
 */
const NICENESS_OF_COLLECTORS = 10;

const NOT_STARTED = 'not started';

const NOT_PRINTED =
  'the addresses of the start could not be printed ("pinfold keys create" makes an API key, "pinfold manage" a sign-in link)';

/** A started server, to stop later, or the exit code of a failed start. */
type Started = { readonly log: Log; stop(): Promise<void> } | ExitCode;

type ExitCode = { readonly exitCode: number };

/**
 * Runs a server as its own process, or as several that share its port if the settings say so. Starts it, prints the
 * results of the first start, and stops it gracefully on SIGTERM, SIGINT or SIGHUP.
 *
 * Resolves with the exit code: 0 after a stop, 3 if it could not start because the database or the storage is
 * unavailable, else 1; the reason is in one line on standard error. If a write of the log blocks, `process.exit`
 * would wait for it, so the process ends itself by SIGTERM.
 *
 * Further processes run the same program with the same arguments.
 *
 * It sets two flags of V8 for the whole process, so that uploads on their way to the disk do not make V8 collect its
 * whole heap again and again: `--heap-growing-percent` and `--minor-gc-task-trigger`. With only one core, it also
 * sets `--no-parallel-scavenge`, and on Linux lowers the priority of V8's threads.
 */
export async function runUntilStopped(create: () => Promise<RunnableApp>): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  setFlagsFromString(`--minor-gc-task-trigger=${YOUNG_FULL_PERCENT}`);
  if (availableParallelism() === 1) serveBeforeCollecting();
  const leader = isWorker() ? leaderMessages() : undefined;
  const signal = waitForSignal();
  const stopRequested = leader === undefined ? signal : Promise.race([leader.stop, signal]);
  const starting = start(create, (app) => (leader === undefined ? begin(app) : join(app, leader.answer)));
  // A signal may end a start that waits for a database or bucket; no request is running yet.
  const started = await Promise.race([starting, stopRequested.then((): typeof NOT_STARTED => NOT_STARTED)]);
  if (started === NOT_STARTED) return 0;
  if ('exitCode' in started) return started.exitCode;
  collectGarbage();
  await stopRequested;
  await started.stop();
  if (started.log.isStuck) endAtOnce();
  return 0;
}

/**
 * Lets the main thread collect young garbage itself, and lowers the priority of other collectors. If the system hides
 * or refuses threads, or Node does not name them (Node 22), only waits are longer.
 */
function serveBeforeCollecting(): void {
  setFlagsFromString('--no-parallel-scavenge');
  if (process.platform !== 'linux') return;
  const threads = '/proc/self/task';
  try {
    for (const thread of readdirSync(threads)) {
      const name = readFileSync(`${threads}/${thread}/comm`, 'utf8');
      if (name.includes('V8Worker')) setPriority(Number(thread), NICENESS_OF_COLLECTORS);
    }
  } catch {}
}

/**
 * Collects all garbage once before serving: V8 allows little memory until the first full collection, which otherwise
 * took 20 ms in the middle of the first few hundred requests.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('globalThis.gc')?.();
}

async function start(
  create: () => Promise<RunnableApp>,
  serve: (app: RunnableApp) => Promise<Started>,
): Promise<Started> {
  let app: RunnableApp | undefined;
  try {
    app = await create();
    const started = await serve(app);
    if ('exitCode' in started) await app.close();
    return started;
  } catch (error) {
    await app?.close();
    process.stderr.write(`pinfold: ${formatReason(error)}\n`);
    return { exitCode: isUnavailable(error) ? 3 : 1 };
  }
}

function begin(app: RunnableApp): Promise<Started> {
  return app.workers === 1 ? runAlone(app) : lead(app);
}

async function runAlone(app: RunnableApp): Promise<Started> {
  print(formatStartBlock(await app.listen()), app.log);
  return {
    log: app.log,
    stop: () => {
      logStopping(app);
      return stop(app);
    },
  };
}

/** Catches errors, because a full disk or a reader that has left must not end the server. */
function print(block: string, log: Log): void {
  process.stdout.on('error', () => undefined);
  process.stdout.write(block, (error) => {
    if (isError(error)) log.warn(`${NOT_PRINTED}: ${error.message}`);
  });
}

async function join(app: RunnableApp, leaderReady: Promise<void>): Promise<Started> {
  const sendMetrics =
    app.metricsSnapshot === undefined ? async () => undefined : sendMetricsToLeader(app.metricsSnapshot);
  await app.join(leaderReady);
  return {
    log: app.log,
    stop: async () => {
      await stop(app);
      await sendMetrics();
    },
  };
}

async function stop(app: RunnableApp): Promise<void> {
  await app.drain();
  await app.close();
}

/** Only the leader of several processes calls it. */
function logStopping({ log, drainTime }: RunnableApp): void {
  log.info(`stopping${drainTime === 0 ? '' : `: draining for ${drainTime / 1_000} s`}`);
}

/** The first worker takes the port before the leader creates anything, so that a failed start leaves nothing behind. */
async function lead(app: RunnableApp): Promise<Started> {
  const workers = new Workers(app);
  const metricsSnapshot = receiveWorkerMetrics();
  const first = await workers.startFirst();
  if ('exitCode' in first) return first;
  try {
    print(formatStartBlock(await app.lead(first.port, metricsSnapshot)), app.log);
  } catch (error) {
    await workers.stop();
    throw error;
  }
  workers.answer();
  return {
    log: app.log,
    stop: async () => {
      logStopping(app);
      await workers.stop();
      await app.close();
    },
  };
}

function formatReason(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  if (!isError(error)) return 'cannot start';
  if (!isFault(error) && !('syscall' in error)) return `cannot start: ${error.stack}`;
  return `cannot start: ${errorText(error)}`;
}

/** Closing the terminal sends SIGHUP. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Catches these signals from now on, so that they no longer end the process; resolves at the first one. */
export function waitForSignal(source: Pick<NodeJS.EventEmitter, 'on'> = process): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) source.on(signal, () => resolve());
  });
}

/** Ends this process like an unhandled SIGTERM, without waiting for threads. */
export function endAtOnce(): void {
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}
