// Starts what several machines would be, shows what they promise, and ends everything.
import { constants } from 'node:os';
import { type Endings, startMachines } from './machines.ts';
import { show } from './show.ts';

const stays = process.argv.includes('--stay');
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // A terminal, npm and a wrapper may each send one: the first counts.
  process.on(signal, () => {
    process.exitCode ??= 128 + constants.signals[signal];
    stopped.abort();
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function stay(publicUrl: string): Promise<void> {
  say(`\nEverything goes on at ${publicUrl} until Ctrl-C.`);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => undefined, 60_000);
  stopped.signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearInterval(timer);
}

const endings: Endings = [];
try {
  say('Starting PostgreSQL, an S3 server and three nodes …');
  const machines = await startMachines(endings, stopped.signal);
  await show(machines, say, stopped.signal);
  say('\nNothing was lost.');
  if (stays) await stay(machines.publicUrl);
} catch (error) {
  if (!stopped.signal.aborted) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  }
} finally {
  say('Ending everything that was started …');
  for (const end of endings.reverse()) await end();
}
