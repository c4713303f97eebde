// The code of an embedding team, compiled and run against the packed packages in an empty project.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { accountId, createUseCases, OPERATOR } from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { createSharing } from '@pinfold/core/sharing';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { openSqlite } from '@pinfold/persistence-sqlite';
import {
  HmacGrantSigner,
  loadOrCreateSecret,
  NodeApiKeySecrets,
  RandomIds,
  ScryptPasswordHasher,
  SystemClock,
} from '@pinfold/platform-node';
import { openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import { goodZips } from '@pinfold/test-contracts/fixtures';
import { createViewer } from '@pinfold/viewer';
import express from 'express';

const publicUrl = 'http://localhost:8080';

// Put the parts together without `openPinfold`.
const clock = new SystemClock();
const staging = await openFsStaging({ folder: 'data/staging', clock });
const archives = await openFsArchiveStorage({ folder: 'data/archives', staging, clock });
const sqlite = await openSqlite({ file: resolve('data/pinfold.sqlite') });
await sqlite.migrate();
const grants = new HmacGrantSigner({ secrets: [await loadOrCreateSecret('data/secret')] });
const inspector = new ZipArchiveInspector();
const node = { clock, grants, inspector, ids: new RandomIds(), passwords: new ScryptPasswordHasher() };
const ports = { ...sqlite, ...node, staging, archives };
const useCases = { ...createUseCases(ports), ...createSharing(ports) };
const manageKeys = createKeys({ ...sqlite, ...node, apiKeySecrets: new NodeApiKeySecrets() });
const app = express().use(createViewer({ useCases, publicUrl }));
app.use(createApi({ useCases, publicUrl, authenticate: apiKeyAuthentication(manageKeys) }));

// Use them over HTTP.
const { text: key } = await manageKeys.create({ by: OPERATOR, account: accountId('ada') });
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const [zip] = goodZips;
if (zip === undefined) throw new Error('there is no archive');
const body = new FormData();
body.set('archive', new Blob([new Uint8Array(await zip.bytes())], { type: 'application/zip' }), 'site.zip');
const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'packed' };
const published = await fetch(`http://127.0.0.1:${port}/api/v1/pins`, { method: 'POST', body, headers });
assert.equal(published.status, 201);
const { pin } = (await published.json()) as { readonly pin: { readonly id: string } };

const viewed = request({ port, host: '127.0.0.1', headers: { host: `${pin.id}.localhost:8080` } }).end();
const [answer] = await once(viewed, 'response');
assert.equal(answer.statusCode, 200);
assert.match(await text(answer), /Hello/);

server.close();
server.closeAllConnections();
await inspector.close();
await sqlite.close();
console.log('the embedding publishes and shows a site');
