// One node: the reference server, and nothing of it changed but the lease, so that nobody has to wait for a minute
// until the publication of a killed node may be tried again.

import { seconds } from '@pinfold/core';
import { createApp, readSettings, runUntilStopped } from 'pinfold';

// Whoever started it has gone, however that happened.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

const limits = { lease: seconds(Number(process.env.LEASE_SECONDS)) };
process.exit(await runUntilStopped(async () => createApp(readSettings(process.env), { limits })));
