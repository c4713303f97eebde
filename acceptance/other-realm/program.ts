// A server under a test runner that has a realm of its own: errors are the same as in the main realm.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PinfoldClient } from '@pinfold/client';
import express from 'express';
import { createApp, OPERATOR, openPinfold, type Pinfold, readSettings } from 'pinfold';
import { openTestPinfold, zipOf } from 'pinfold/testing';

assert.notEqual(Object.getPrototypeOf(Buffer), Uint8Array, 'runs in a realm of its own');

const folder = await mkdtemp(join(tmpdir(), 'pinfold-realm-'));
const large = randomBytes(2 * 1_048_576);
const site = Buffer.from(await zipOf({ 'index.html': '<p>Hello', 'large.bin': large }));
const servers: Server[] = [];

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function viewed(origin: string, host: string, path: string): Promise<Buffer> {
  const [answer] = await once(get(new URL(path, origin), { headers: { host }, agent: false }), 'response');
  assert.equal(answer.statusCode, 200);
  return buffer(answer);
}

/** Publishes from code and by the API, and opens the site. */
async function use(pinfold: Pinfold): Promise<void> {
  const filename = 'site.zip';
  const outcome = await pinfold.publish({ by: 'ada', key: 'first', filename, archive: site });
  assert.equal(outcome.kind, 'published');
  const { id } = outcome.publication;

  const origin = await listen(express().use(pinfold.viewer, pinfold.api, pinfold.management));
  const { text: key } = await pinfold.useCases.keys.create({ by: OPERATOR, account: 'ada' as never });
  const client = new PinfoldClient({ url: origin, key, retryFor: 0 });
  const { replayed } = await client.publish(site, { filename, idempotencyKey: 'first' });
  assert.equal(replayed, true);
  const host = `${id}.localhost:8080`;
  assert.equal(String(await viewed(origin, host, '/')), '<p>Hello');
  assert.ok((await viewed(origin, host, '/large.bin')).equals(large));
  await assert.rejects(client.publish(randomBytes(99), { filename }), { code: 'invalid_archive' });
  await assert.rejects(client.get('no-id'), { code: 'not_found' });
  const broken = { method: 'PATCH', body: '{', headers: { authorization: `Bearer ${key}` } };
  const headers = { ...broken.headers, 'content-type': 'application/json' };
  const { status } = await fetch(`${origin}/api/v1/pins/${id}`, { ...broken, headers });
  assert.equal(status, 400);
  await client.stop(id);
}

const test = await openTestPinfold();
await use(test);
await test.close();

// A missing data folder, so that secret, database and archives are missing, too.
const options = { dataDir: join(folder, 'embedded'), publicUrl: 'http://localhost:8080' };
const embedded = await openPinfold(options);
await use(embedded);
await embedded.close();
const again = await openPinfold(options);
await again.close();

const env = { PINFOLD_PORT: '0', PINFOLD_DATA_DIR: join(folder, 'server'), PINFOLD_LOG_LEVEL: 'silent' };
const app = await createApp(readSettings(env));
const { addresses } = await app.listen();
assert.equal((await fetch(`${addresses.publicUrl}/readyz`)).status, 200);
const { port } = new URL(addresses.publicUrl);
const second = await createApp(readSettings({ ...env, PINFOLD_PORT: port }));
await assert.rejects(second.listen(), { name: 'SettingsError' });
await second.close();
await app.close();

// No server listens there, or one without HTTPS: the error gives the reason, and does not show the key.
const [first = createServer()] = servers;
const httpPort = (first.address() as AddressInfo).port;
for (const [url, retryable] of [
  [`https://127.0.0.1:${httpPort}`, false],
  [addresses.publicUrl, true],
] as const) {
  const client = new PinfoldClient({ url, key: 'hidden', retryFor: 0 });
  await assert.rejects(client.limits(), { code: 'network_error', retryable });
}

for (const server of servers) server.close().closeAllConnections();
await rm(folder, { recursive: true });
console.log('all of it worked');
