import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import {
  accountId,
  createUseCases,
  type Keys,
  type Limits,
  OPERATOR,
  type Ports,
  type RoleId,
  type UseCases,
} from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { createMemory, type Memory } from '@pinfold/memory';
import { HmacGrantSigner, NodeApiKeySecrets, RandomIds, ScryptPasswordHasher } from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import type { HttpService, HttpSubject } from '@pinfold/test-contracts';
import { createManualClock, createStagedArchives, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { createViewer, type ViewerMode } from '@pinfold/viewer';
import express from 'express';

/** Does something to a request, or to its answer, before the service takes it. */
export type Tamper = (request: IncomingMessage, response: ServerResponse) => void;

/** What is wrong with a service. Each part is made anew for each subject. */
export interface Spoiling {
  readonly tamper?: () => Tamper;
  /** The same, before peers only. */
  readonly tamperWithPeers?: () => Tamper;
  readonly limits?: Partial<Limits>;
  readonly ports?: () => (ports: Ports) => Partial<Ports>;
}

/** One for all services: it holds nothing while it is idle. */
const inspector = new ZipArchiveInspector({ workers: 1 });

/** API and viewer over stores in memory, each peer a server of its own. */
export async function openService(mode: ViewerMode, spoiling: Spoiling = {}): Promise<HttpSubject> {
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
  const keys = await makeKeys(manageKeys);
  const servers: Server[] = [];
  const change = spoiling.ports?.() ?? (() => ({}));
  let publicPort: number | undefined;
  const open = async (handle: Memory, tamper: Tamper | undefined): Promise<HttpService> => {
    const ports = portsOf(handle, clock, staging);
    const useCases = createUseCases({ ...ports, ...change(ports) }, spoiling.limits);
    const server = createServer().unref().listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    publicPort ??= port;
    const handler = handlerOf(useCases, manageKeys, mode, publicPort);
    server.on('request', (request, response) => {
      tamper?.(request, response);
      handler(request, response);
    });
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      viewerMode: mode,
      keys,
      advance: async (length) => clock.advance(length),
      pin: async (id) => void (await useCases.pin({ by: OPERATOR, id: id as RoleId })),
      unpin: async (id) => void (await useCases.unpin({ by: OPERATOR, id: id as RoleId })),
    };
  };
  const everywhere = spoiling.tamper?.();
  return {
    port: await open(memory, everywhere),
    peer: () => open(memory.peer(), spoiling.tamperWithPeers?.() ?? everywhere),
    dispose: async () => {
      await Promise.all(servers.map(close));
      await memory.close();
      await staged.dispose();
    },
  };
}

async function makeKeys(manageKeys: Keys): Promise<HttpService['keys']> {
  const [first, second] = [accountId('first'), accountId('second')];
  return {
    first: (await manageKeys.create({ account: first })).text,
    second: (await manageKeys.create({ account: second })).text,
    readOnly: (await manageKeys.create({ account: first, scopes: ['pins:read'] })).text,
  };
}

function portsOf(memory: Memory, clock: ManualClock, staging: Ports['staging']): Ports {
  return {
    roles: memory.roles,
    accounts: memory.accounts,
    attempts: memory.attempts,
    archives: memory.archives,
    staging,
    inspector,
    passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
    grants: new HmacGrantSigner({ secrets: ['a secret that all nodes know'] }),
    clock,
    ids: new RandomIds(),
  };
}

function handlerOf(useCases: UseCases, manageKeys: Keys, mode: ViewerMode, port: number): express.Express {
  const publicUrl = `http://127.0.0.1:${port}`;
  const authenticate = apiKeyAuthentication(manageKeys);
  const app = express();
  app.use(createViewer({ useCases, publicUrl, sitesUrl: `http://localhost:${port}`, mode }));
  app.use(createApi({ useCases, publicUrl, authenticate }));
  return app;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
