import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import {
  accountId,
  createUseCases,
  type Keys,
  type Limits,
  type Ports,
  type Quotas,
  type UseCases,
} from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { createMemory, type Memory } from '@pinfold/memory';
import { HmacGrantSigner, NodeApiKeySecrets, RandomIds, ScryptPasswordHasher } from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import express from 'express';
import { type ApiOptions, apiKeyAuthentication, createApi, type RequestEntry } from '../src/index.ts';

/** The API on a real socket, over stores in memory and uploads in a folder of its own. */
export interface Rig {
  readonly port: number;
  readonly baseUrl: string;
  readonly server: Server;
  readonly clock: ManualClock;
  readonly memory: Memory;
  readonly useCases: UseCases;
  readonly manageKeys: Keys;
  readonly log: RequestEntry[];
  readonly keys: { readonly first: string; readonly second: string; readonly readOnly: string };
  /** The files that uploads have left. */
  uploads(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What a test composes otherwise. */
export interface RigOptions {
  /** The clock of all, where something else has it, too. */
  readonly clock?: ManualClock;
  readonly limits?: Partial<Limits>;
  readonly quotas?: Quotas;
  readonly api?: Partial<ApiOptions>;
  readonly ports?: (ports: Ports) => Partial<Ports>;
}

const inspector = new ZipArchiveInspector({ workers: 1 });
after(() => inspector.close());

export async function openRig({
  clock = createManualClock(),
  limits,
  quotas = {},
  api,
  ports: change,
}: RigOptions = {}): Promise<Rig> {
  const app = express();
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-http-'));
  const memory = createMemory();
  const ports: Ports = {
    roles: memory.roles,
    accounts: memory.accounts,
    attempts: memory.attempts,
    archives: memory.archives,
    staging: await openFsStaging({ folder, clock }),
    inspector,
    passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
    grants: new HmacGrantSigner({ secrets: ['a secret that only this test knows'] }),
    clock,
    ids: new RandomIds(),
  };
  const useCases = createUseCases({ ...ports, ...change?.(ports) }, limits, { quotas });
  const manageKeys = createKeys({
    apiKeys: memory.apiKeys,
    apiKeySecrets: new NodeApiKeySecrets(),
    clock,
    ids: new RandomIds(),
  });
  const log: RequestEntry[] = [];
  const authenticate = apiKeyAuthentication(manageKeys);
  app.use(createApi({ useCases, publicUrl: baseUrl, authenticate, log: (entry) => log.push(entry), ...api }));
  const first = await manageKeys.create({ account: accountId('first') });
  const second = await manageKeys.create({ account: accountId('second') });
  const readOnly = await manageKeys.create({ account: accountId('first'), scopes: ['pins:read'] });
  return {
    port,
    baseUrl,
    server,
    clock,
    memory,
    useCases,
    manageKeys,
    log,
    keys: { first: first.text, second: second.text, readOnly: readOnly.text },
    uploads: () => readdir(folder),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await memory.close();
      await rm(folder, { recursive: true });
    },
  };
}
