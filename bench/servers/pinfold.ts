import { createApp, readSettings } from '@pinfold/app';

const app = await createApp(readSettings(process.env));
await app.listen();
console.log('ready');
process.on('SIGTERM', async () => {
  await app.close();
  process.exit(0);
});
