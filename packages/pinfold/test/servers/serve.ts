// The server as a process of its own, as `npm start` runs it.
import { createApp, readSettings, runUntilStopped } from '../../src/index.ts';

process.exit(await runUntilStopped(async () => createApp(readSettings(process.env))));
