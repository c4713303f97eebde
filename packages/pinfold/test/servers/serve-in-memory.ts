// A program with the handlers of `openTestPinfold`, which prints its URL and a key.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { OPERATOR } from '../../src/index.ts';
import { openTestPinfold } from '../../src/testing.ts';

const app = express();
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const pinfold = await openTestPinfold({ publicUrl: url, viewerMode: 'path' });
app.use(pinfold.viewer, pinfold.api);
const { text: key } = await pinfold.useCases.keys.create({ by: OPERATOR, account: 'ada' });
console.log(JSON.stringify({ url, key, message: 'listening' }));
