import { isFault } from '@pinfold/core';
import type { App } from './create-app.ts';
import { firstStartBlock, startLine } from './first-start-block.ts';
import { SettingsError } from './settings/settings-error.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

const NOT_STARTED = 'not started';

/**
 * Runs a server as a process of its own: starts it, prints what the first start made, and stops it gracefully on
 * SIGTERM or SIGINT. Resolves with the exit code: 0, or 1 when the server could not be started, which is then said in
 * one line on standard error.
 *
 * @example
 * process.exit(await runUntilStopped(() => createApp(readSettings(process.env))));
 */
export async function runUntilStopped(create: () => Promise<App>): Promise<number> {
  const asked = signalled();
  const starting = start(create);
  // Nothing was accepted yet, so there is nothing to finish; and the start may be waiting for something far away.
  const app = await Promise.race([starting, asked.then((): typeof NOT_STARTED => NOT_STARTED)]);
  if (app === undefined) return 1;
  if (app === NOT_STARTED) return 0;
  await asked;
  await app.close();
  return 0;
}

async function start(create: () => Promise<App>): Promise<App | undefined> {
  let app: App | undefined;
  try {
    app = await create();
    const { addresses, firstStart, signInLink } = await app.listen();
    process.stdout.write(
      firstStart === undefined
        ? startLine(addresses, signInLink)
        : firstStartBlock(firstStart, addresses, signInLink),
    );
    return app;
  } catch (error) {
    await app?.close();
    process.stderr.write(`pinfold: ${reasonOf(error)}\n`);
    return undefined;
  }
}

/** Resolves at the first signal. More of them follow when a terminal, npm and a wrapper each send one: they change nothing. */
function signalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of SIGNALS) process.on(signal, () => resolve());
  return promise;
}

/** One line for an operator; a bug keeps its stack. */
function reasonOf(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  if (!(error instanceof Error)) return 'cannot start';
  if (!isFault(error) && !('syscall' in error)) return `cannot start: ${error.stack}`;
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `cannot start: ${error.message}${cause}`;
}
