// The reference server, run as `npm start` runs it.
import { createApp, readSettings, runUntilStopped } from 'pinfold';

process.exit(await runUntilStopped(async () => createApp(readSettings(process.env))));
