// The server within another program, which does not use its own standard output, and ends by itself.
import { once } from 'node:events';
import { createApp, readSettings } from '../../src/index.ts';

const app = await createApp(readSettings(process.env), { terminal: false });
await app.listen();
await once(process, 'SIGTERM');
await app.close();
