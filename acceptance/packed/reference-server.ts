// Starts the reference server, the command and `openPinfold` from the packed packages.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createApp, openPinfold, readSettings } from 'pinfold';

const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: 'served', PINFOLD_LOG_LEVEL: 'silent' };
const app = await createApp(readSettings(env));
const { addresses, firstStart } = await app.listen();
assert.ok((firstStart?.welcome?.publication.fileCount ?? 0) > 1);
assert.equal((await fetch(`${addresses.publicUrl}/readyz`)).status, 200);
await app.close();

const pinfold = (...args: readonly string[]): string =>
  execFileSync('node_modules/.bin/pinfold', args, { encoding: 'utf8', env: { ...process.env, ...env } });
assert.equal(JSON.parse(pinfold('keys', 'list', '--json')).keys.length, 1);
assert.match(pinfold('version'), /^\d+\.\d+\.\d+(\+g[0-9a-f]{7})?\n$/);

const embedded = await openPinfold({ dataDir: 'served', publicUrl: 'http://localhost:8080' });
assert.equal(typeof embedded.useCases.publish, 'function');
await embedded.close();
console.log('the reference server starts, and the command works beside it');
