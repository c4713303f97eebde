// A server whose start waits without end for a remote dependency.
import { createServer } from 'node:net';
import { runUntilStopped } from '../../src/index.ts';

createServer().listen(0, () => process.stdout.write('waiting\n'));
process.exit(await runUntilStopped(() => new Promise(() => undefined)));
