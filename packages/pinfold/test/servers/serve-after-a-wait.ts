// A server whose start waits for something far away, and waits in vain.
import { createServer } from 'node:net';
import { runUntilStopped } from '../../src/index.ts';

createServer().listen(0, () => process.stdout.write('waiting\n'));
process.exit(await runUntilStopped(() => new Promise(() => undefined)));
