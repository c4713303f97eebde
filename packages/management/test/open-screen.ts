import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import {
  type AccountId,
  accountId,
  createUseCases,
  type IdempotencyKey,
  type Keys,
  type Limits,
  type Ports,
  parseFilename,
  type Quotas,
  type Role,
  type Sessions,
  type Title,
  type UseCases,
} from '@pinfold/core';
import { createKeys, createSessions } from '@pinfold/core/accounts';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  HmacGrantSigner,
  NodeApiKeySecrets,
  NodeSessionSecrets,
  RandomIds,
  ScryptPasswordHasher,
} from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import express from 'express';
import { zipSync } from 'fflate';
import { createManagement, type ManagementOptions, type RequestEntry } from '../src/index.ts';

export const OWNER: AccountId = accountId('owner');

/** The screen over memory, with a clock that the test holds. */
export interface Screen {
  readonly url: string;
  readonly base: string;
  readonly clock: ManualClock;
  readonly memory: Memory;
  readonly useCases: UseCases;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly log: RequestEntry[];
  publish(title: string | null, files?: Readonly<Record<string, string>>, account?: AccountId): Promise<Role>;
  close(): Promise<void>;
}

/** What a test may want otherwise. */
export interface ScreenOptions {
  readonly limits?: Partial<Limits>;
  readonly quotas?: Quotas;
  readonly ports?: (ports: Ports) => Partial<Ports>;
  readonly management?: Partial<ManagementOptions>;
  /** Where the screen is mounted; `/manage` when absent. */
  readonly mount?: string;
  /** The public URL, when it is not the server's own address. */
  readonly publicUrl?: string;
}

export async function openScreen(options: ScreenOptions = {}): Promise<Screen> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-management-'));
  const clock = createManualClock();
  const memory = createMemory();
  const staging = await openFsStaging({ folder: join(folder, 'staging'), clock });
  const inspector = new ZipArchiveInspector({ workers: 1 });
  const ports: Ports = {
    roles: memory.roles,
    accounts: memory.accounts,
    attempts: memory.attempts,
    archives: memory.archives,
    staging,
    inspector,
    passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
    grants: new HmacGrantSigner({ secrets: ['a secret of the tests'] }),
    clock,
    ids: new RandomIds(),
  };
  const useCases = createUseCases({ ...ports, ...options.ports?.(ports) }, options.limits, {
    quotas: options.quotas ?? {},
  });
  const apiKeys = { apiKeys: memory.apiKeys, clock, ids: ports.ids };
  const keys = createKeys({ ...apiKeys, apiKeySecrets: new NodeApiKeySecrets() });
  const sessions = createSessions(
    { ...apiKeys, sessions: memory.sessions, sessionSecrets: new NodeSessionSecrets() },
    keys,
  );
  const log: RequestEntry[] = [];
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = options.publicUrl ?? `http://localhost:${address.port}`;
  const signIn = options.management?.authenticate === undefined ? { sessions } : {};
  app.use(
    options.mount ?? '/manage',
    createManagement({
      useCases,
      publicUrl: url,
      keys,
      log: (entry) => log.push(entry),
      ...signIn,
      ...options.management,
    }),
  );
  let published = 0;
  return {
    url,
    base: `http://localhost:${address.port}/manage`,
    clock,
    memory,
    useCases,
    keys,
    sessions,
    log,
    publish: async (title, files = { 'index.html': '<h1>Hello</h1>' }, account = OWNER) => {
      published += 1;
      const archive = await received(useCases, files);
      const filename = parseFilename(`site-${published}.zip`);
      if (typeof filename !== 'string') throw new Error(filename.code);
      const key = `test ${published}` as IdempotencyKey;
      const outcome = await useCases.publish({
        by: account,
        key,
        filename,
        title: title as Title | null,
        archive,
      });
      if (outcome.kind === 'refused') throw new Error(outcome.code);
      return outcome.role;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await inspector.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A ZIP of some files, the same bytes at every time: a repeated upload must equal the first. */
export function zipOf(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const contents = Object.entries(files).map(
    ([path, text]) => [path, new TextEncoder().encode(text)] as const,
  );
  return zipSync(Object.fromEntries(contents), { mtime: new Date('2026-11-20T12:00:00') });
}

async function received(useCases: UseCases, files: Readonly<Record<string, string>>) {
  async function* body() {
    yield zipOf(files);
  }
  const outcome = await useCases.staging.receive(body(), useCases.limits.archiveBytes);
  if (outcome.kind !== 'received') throw new Error(outcome.kind);
  return outcome.archive;
}
