import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isFault } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import { isUnavailable } from '../command-line/failures.ts';
import type { RunnableApp } from '../compose/create-app.ts';
import { sendMetricsToLeader, workerMetrics } from '../metrics/worker-metrics.ts';
import type { Log } from '../server/log.ts';
import { errorText } from '../settings/or-settings-error.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { startBlock } from './first-start-block.ts';
import { endAtOnce, signalled } from './signals.ts';
import { isWorker, leaderMessages, Workers } from './workers.ts';

/**
 * How much the heap may grow before V8 looks through all of it again. It counts the bytes of an upload on their way to
 * the disk among the heap's, and would do so for every 10 MiB: a quarter of what publishing costs.
 */
const HEAP_GROWING_PERCENT = 200;

/**
 * How full the young generation is when V8 clears it in a quiet moment. The bytes of an upload are freed with it, and at
 * V8's own 80 % there are so many of them by then that V8 looks through the whole heap instead, which takes longer.
 */
const YOUNG_FULL_PERCENT = 20;

/**
 * The niceness of V8's own threads on a single core. Four of them collect garbage beside the requests; with the same
 * priority each has the core for some milliseconds at a time, and a request waits for all four.
 */
const NICENESS_OF_COLLECTORS = 10;

const NOT_STARTED = 'not started';

const NOT_PRINTED =
  'the addresses of the start could not be printed ("pinfold keys create" makes an API key, "pinfold manage" a sign-in link)';

/** A started server, to be stopped later, or the exit code if it could not be started. */
type Started = { readonly log: Log; stop(): Promise<void> } | ExitCode;

type ExitCode = { readonly exitCode: number };

/**
 * Runs a server as its own process, or as several that share its port if the settings say so: starts it, prints what the
 * first start made, and stops it gracefully on SIGTERM, SIGINT or SIGHUP. Resolves with the exit code: 0, or, if the server
 * could not be started, 3 where the database or the storage is away or refuses, else 1; one line on standard error then has
 * the reason. If a write of the log is stuck, for which `process.exit` would wait, the process ends by the default effect
 * of SIGTERM.
 *
 * Further processes run the program that this one runs, with the same arguments.
 *
 * It sets two flags of V8 for the whole process, so that uploads on their way to the disk do not make V8 collect its whole
 * heap again and again: `--heap-growing-percent` and `--minor-gc-task-trigger`. With only one core, it sets
 * `--no-parallel-scavenge`, and on Linux lowers the priority of V8's threads.
 */
export async function runUntilStopped(create: () => Promise<RunnableApp>): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  setFlagsFromString(`--minor-gc-task-trigger=${YOUNG_FULL_PERCENT}`);
  if (availableParallelism() === 1) serveBeforeCollecting();
  const words = isWorker() ? leaderMessages() : undefined;
  const signal = signalled();
  const asked = words === undefined ? signal : Promise.race([words.stop, signal]);
  const starting = start(create, (app) => (words === undefined ? begin(app) : join(app, words.answer)));
  // No request was accepted yet, so there is none to finish; and the start may wait for a database or bucket.
  const started = await Promise.race([starting, asked.then((): typeof NOT_STARTED => NOT_STARTED)]);
  if (started === NOT_STARTED) return 0;
  if ('exitCode' in started) return started.exitCode;
  collectGarbage();
  await asked;
  await started.stop();
  if (started.log.isStuck) endAtOnce();
  return 0;
}

/**
 * The main thread collects young garbage itself, and the rest has a lower priority. Where the system hides or refuses
 * threads, and with Node 22, which does not name them, nothing changes but that waits are longer.
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
 * V8 allows a program little memory until it has looked through all of it once. That took 20 ms in the middle of the
 * first hundreds of requests that came at once; now it is over before.
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
  return app.workers === 1 ? alone(app) : lead(app);
}

async function alone(app: RunnableApp): Promise<Started> {
  print(startBlock(await app.listen()), app.log);
  return {
    log: app.log,
    stop: () => {
      logStopping(app);
      return stop(app);
    },
  };
}

/** A disk that is full, or a reader that has gone, must not end the server. */
function print(block: string, log: Log): void {
  process.stdout.on('error', () => undefined);
  process.stdout.write(block, (error) => {
    if (isError(error)) log.warn(`${NOT_PRINTED}: ${error.message}`);
  });
}

async function join(app: RunnableApp, led: Promise<void>): Promise<Started> {
  const sendMetrics =
    app.metricsSnapshot === undefined ? async () => undefined : sendMetricsToLeader(app.metricsSnapshot);
  await app.join(led);
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

/** Only the leader of several processes logs it. */
function logStopping({ log, drainTime }: RunnableApp): void {
  log.info(`told to stop${drainTime === 0 ? '' : `: draining for ${drainTime / 1_000} s`}`);
}

/** The first worker takes the port before it creates anything: a failed start leaves nothing unreported. */
async function lead(app: RunnableApp): Promise<Started> {
  const workers = new Workers(app);
  const metricsSnapshot = workerMetrics();
  const first = await workers.startFirst();
  if ('exitCode' in first) return first;
  try {
    print(startBlock(await app.lead(first.port, metricsSnapshot)), app.log);
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
