// The server as a process of its own that stops short before or after one call of a port, and waits to be killed.
import { seconds } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { aroundCalls } from '@pinfold/test-contracts/fixtures';
import { ContainerModule } from 'inversify';
import { createApp, readSettings, runUntilStopped } from '../../src/index.ts';

const [when, call] = (process.env.HANG ?? '').split(' ');

async function hang(moment: string, name: string): Promise<void> {
  if (moment !== when || name !== call) return;
  process.stdout.write('hanging\n');
  await new Promise(() => undefined);
}

/** Every call of the port may hang before it begins or after it has ended. */
function watched<Port extends object>(port: Port): Port {
  return aroundCalls(port, async (name, call) => {
    await hang('before', name);
    const result: unknown = await call();
    await hang('after', name);
    return result;
  });
}

const watching = new ContainerModule(({ onActivation }) => {
  onActivation(tokens.roles, (_context, port) => watched(port));
  onActivation(tokens.archives, (_context, port) => watched(port));
});

// A short lease, so that a retry need not wait for a minute.
const options = { modules: [watching], limits: { lease: seconds(0.3) } };
process.exit(await runUntilStopped(async () => createApp(readSettings(process.env), options)));
