// The reference server as a process of its own that tells how to sign in, and cleans up when it is told to.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hours } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { createApp, readSettings } from 'pinfold';

const app = await createApp(readSettings(process.env), { terminal: true });
const { signInLink } = await app.listen();
const { cleanUp } = await app.container.getAsync(tokens.useCases);

const answers: Readonly<Record<string, () => unknown>> = {
  'sign-in link': () => signInLink,
  'clean up': async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const report = await cleanUp({ time: hours(1) });
    delay.disable();
    return { report, longestDelay: delay.max / 1e6 };
  },
};
process.on('message', async (question) => process.send?.(await answers[String(question)]?.()));
// A failed bench leaves nothing behind.
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', async () => {
  await app.close();
  process.exit(0);
});
console.log('ready');
