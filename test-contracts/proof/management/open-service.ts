import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import {
  type AccountId,
  type AccountStore,
  type ApiKeyStore,
  type AttemptCounter,
  accountId,
  createUseCases,
  type Keys,
  type Role,
  type RoleStore,
  type SessionStore,
  type UseCases,
} from '@pinfold/core';
import { createKeys, createSessions } from '@pinfold/core/accounts';
import { createManagement } from '@pinfold/management';
import { openPostgres } from '@pinfold/persistence-postgres';
import { openSqlite } from '@pinfold/persistence-sqlite';
import {
  HmacGrantSigner,
  NodeApiKeySecrets,
  NodeSessionSecrets,
  RandomIds,
  ScryptPasswordHasher,
} from '@pinfold/platform-node';
import { openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { createViewer } from '@pinfold/viewer';
import express from 'express';
import { strToU8, zipSync } from 'fflate';
import { postgresPlace } from 'pinfold-test-servers/mocha';

export const OWNER: AccountId = accountId('owner');

/** Where records are kept. */
export type Database = 'SQLite' | 'PostgreSQL';

/** The screen and the sites on one port, over real stores, with a clock that the test holds. */
export interface Service {
  /** The public URL. */
  readonly url: string;
  /** Where the screen is. */
  readonly screen: string;
  /** The database's file, with SQLite. */
  readonly file: string;
  readonly clock: ManualClock;
  readonly useCases: UseCases;
  readonly keys: Keys;
  /** A sign-in link, as the server prints one. */
  link(): Promise<string>;
  publish(title: string | null, files?: Readonly<Record<string, string>>): Promise<Role>;
  close(): Promise<void>;
}

interface Stores {
  readonly roles: RoleStore;
  readonly apiKeys: ApiKeyStore;
  readonly accounts: AccountStore;
  readonly attempts: AttemptCounter;
  readonly sessions: SessionStore;
  migrate(): Promise<void>;
  close(): Promise<void>;
}

export async function openService(database: Database = 'SQLite'): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-managed-'));
  const file = join(folder, 'pinfold.sqlite');
  const stores = database === 'SQLite' ? await openSqlite({ file }) : await openPlace();
  await stores.migrate();
  // Browsers keep cookies by their own clock, so this one begins at the present.
  const clock = createManualClock(Date.now() as never);
  const inspector = new ZipArchiveInspector({ workers: 1 });
  const staging = await openFsStaging({ folder: join(folder, 'staging'), clock });
  const ids = new RandomIds();
  const useCases = createUseCases({
    roles: stores.roles,
    accounts: stores.accounts,
    attempts: stores.attempts,
    staging,
    archives: await openFsArchiveStorage({ folder: join(folder, 'archives'), staging, clock }),
    inspector,
    passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
    grants: new HmacGrantSigner({ secrets: ['a secret of the tests'] }),
    clock,
    ids,
  });
  const { apiKeys } = stores;
  const keys = createKeys({ apiKeys, apiKeySecrets: new NodeApiKeySecrets(), clock, ids });
  const sessionSecrets = new NodeSessionSecrets();
  const sessions = createSessions({ apiKeys, sessions: stores.sessions, sessionSecrets, clock, ids }, keys);
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://localhost:${address.port}`;
  app.use(createViewer({ useCases, publicUrl: url }));
  app.use('/manage', createManagement({ useCases, publicUrl: url, sessions, keys }));
  let published = 0;
  return {
    url,
    screen: `${url}/manage`,
    file,
    clock,
    useCases,
    keys,
    link: async () => `${url}/manage/sign-in?link=${(await sessions.offerLink(OWNER)).token}`,
    publish: async (title, files = { 'index.html': '<h1>Hello</h1>' }) => {
      published += 1;
      return await publish(useCases, title, files, published);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await inspector.close();
      await stores.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openPlace(): Promise<Stores> {
  const place = await postgresPlace();
  const stores = await openPostgres({ pool: place.pool(), schema: place.schema });
  return {
    ...stores,
    close: async () => {
      await stores.close();
      await place.dispose();
    },
  };
}

async function publish(
  useCases: UseCases,
  title: string | null,
  files: Readonly<Record<string, string>>,
  n: number,
): Promise<Role> {
  const zip = zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
  const outcome = await useCases.publish({
    by: OWNER,
    key: `test ${n}`,
    filename: `site-${n}.zip`,
    title,
    archive: zip,
  });
  if (outcome.kind === 'refused') throw new Error(outcome.code);
  return outcome.role;
}
