import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { accountId, createUseCases, type Keys, OPERATOR, type RoleId, type UseCases } from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createMemory, type Memory } from '@pinfold/memory';
import { HmacGrantSigner, NodeApiKeySecrets, RandomIds, ScryptPasswordHasher } from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import { type HttpService, type HttpSubject, httpViewingContract } from '@pinfold/test-contracts';
import { createManualClock, createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { describeContract } from '@pinfold/test-contracts/mocha';
import express from 'express';
import { createViewer, type ViewerMode } from '../src/index.ts';

const inspector = new ZipArchiveInspector({ workers: 1 });
after(() => inspector.close());

/** A service of API and viewer over stores in memory; each peer is one more server over the same data. */
async function openSubject(mode: ViewerMode): Promise<HttpSubject> {
  const staged = await createStagedArchives();
  const clock = createManualClock();
  const memory = createMemory();
  const staging = await openFsStaging({ folder: staged.folder, clock });
  const manageKeys = createKeys({
    apiKeys: memory.apiKeys,
    apiKeySecrets: new NodeApiKeySecrets(),
    clock,
    ids: new RandomIds(),
  });
  const keyOf = async (...given: Parameters<Keys['create']>) => (await manageKeys.create(...given)).text;
  const keys = {
    first: await keyOf({ account: accountId('first') }),
    second: await keyOf({ account: accountId('second') }),
    readOnly: await keyOf({ account: accountId('first'), scopes: ['pins:read'] }),
  };
  const servers: Server[] = [];
  let publicPort: number | undefined;
  const open = async (handle: Memory): Promise<HttpService> => {
    const useCases = createUseCases({
      roles: handle.roles,
      accounts: handle.accounts,
      attempts: handle.attempts,
      archives: handle.archives,
      staging,
      inspector,
      passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
      grants: new HmacGrantSigner({ secrets: ['a secret that all nodes know'] }),
      clock,
      ids: new RandomIds(),
    });
    const server = createServer();
    servers.push(server);
    const port = await listen(server);
    publicPort ??= port;
    server.on('request', serviceOf(useCases, manageKeys, mode, publicPort));
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      viewerMode: mode,
      keys,
      advance: async (length) => clock.advance(length),
      pin: async (id) => void (await useCases.pin({ by: OPERATOR, id: id as RoleId })),
      unpin: async (id) => void (await useCases.unpin({ by: OPERATOR, id: id as RoleId })),
    };
  };
  return {
    port: await open(memory),
    peer: () => open(memory.peer()),
    dispose: async () => {
      for (const server of servers) await close(server);
      await memory.close();
      await staged.dispose();
    },
  };
}

function serviceOf(
  useCases: UseCases,
  manageKeys: Keys,
  mode: ViewerMode,
  publicPort: number,
): RequestListener {
  const publicUrl = `http://127.0.0.1:${publicPort}`;
  const authenticate = apiKeyAuthentication(manageKeys);
  const app = express();
  app.use(createViewer({ useCases, publicUrl, sitesUrl: `http://localhost:${publicPort}`, mode }));
  app.use(createApi({ useCases, publicUrl, authenticate }));
  return app;
}

async function listen(server: Server): Promise<number> {
  // Unreferenced: a subject that fails while it opens must not keep the process.
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

for (const mode of ['origin', 'path'] as const) {
  describeContract(httpViewingContract, {
    name: `createViewer in ${mode} mode`,
    create: () => openSubject(mode),
  });
}
