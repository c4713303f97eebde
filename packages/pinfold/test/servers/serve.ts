// The server as a separate process, as `npm start` runs it.
import { createApp, readSettings, runUntilStopped } from '../../src/index.ts';

process.exit(await runUntilStopped(async () => createApp(readSettings(process.env))));
