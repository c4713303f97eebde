// The reference server, run as `npm start` runs it.
import { createApp, readSettings, runUntilStopped } from '@pinfold/app';

process.exit(await runUntilStopped(async () => createApp(readSettings(process.env))));
