import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { Fault, isFault } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { isError, isOutdated, STORES } from '@pinfold/core/internal';
import type { Parts } from '@pinfold/inversify';
import {
  HmacGrantSigner,
  type HmacGrantSignerOptions,
  loadOrCreateSecret,
  NodeApiKeySecrets,
  NodeMachine,
  NodeSessionSecrets,
  RandomIds,
  ScryptPasswordHasher,
  SystemClock,
} from '@pinfold/platform-node';
import type { Pool } from '../metrics/gauges.ts';
import { release } from '../release.ts';
import { databaseOf } from '../settings/databases.ts';
import { orSettingsError } from '../settings/or-settings-error.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { ComposedService, ComposeOptions, Layer } from './compose.ts';
import { memoryBudget } from './memory-budget.ts';
import { storageOf } from './storage.ts';

const MAX_THREADS = 4;

export type Closer = () => Promise<void>;

/** Opens the ports that the settings name, and adds to `closers` in the order of opening. */
export async function openPorts(
  settings: Settings,
  dataDir: string,
  secrets: HmacGrantSignerOptions['secrets'],
  options: ComposeOptions,
  { provide }: Layer,
  closers: Closer[],
): Promise<Pick<ComposedService, 'ports' | 'pool'>> {
  const clock = await provide('clock', () => options.clock ?? new SystemClock());
  const storage = await storageOf(settings, dataDir, clock, options.addHeaders);
  closers.push(storage.end);
  let pool: Pool | undefined;
  const persistence = await openDatabase(settings, options, () =>
    provide('persistence', async () => {
      if (options.persistence !== undefined) return options.persistence;
      const database = await databaseOf(settings.database).open(dataDir, settings.database.url ?? '');
      closers.push(database.end);
      pool = database.pool;
      const persistence = await database.persistence();
      closers.push(() => persistence.close());
      return persistence;
    }),
  );
  const stores: Record<string, unknown> = {};
  for (const name of STORES) stores[name] = await provide(name, () => persistence[name]);
  const ports = {
    ...(stores as Pick<Parts, (typeof STORES)[number]>),
    persistence,
    clock,
    machine: await provide('machine', () => options.machine ?? new NodeMachine()),
    ids: await provide('ids', () => options.ids ?? new RandomIds()),
    staging: await provide('staging', () => options.staging ?? storage.staging()),
    archives: await provide('archives', () => options.archives ?? storage.archives()),
    inspector: await provide('inspector', () => {
      const inspector = new ZipArchiveInspector({ workers: threadsOf(settings) });
      closers.push(() => inspector.close());
      return inspector;
    }),
    passwords: await provide(
      'passwords',
      () => new ScryptPasswordHasher(memoryBudget(settings.workers).hashing),
    ),
    grants: await provide('grants', () => new HmacGrantSigner({ secrets })),
    apiKeySecrets: await provide('apiKeySecrets', () => new NodeApiKeySecrets()),
    sessionSecrets: await provide('sessionSecrets', () => new NodeSessionSecrets()),
  };
  return { ports, pool };
}

/** The secret in the data folder, which signs viewing grants if the settings have none; created at the first start. */
export async function storedSecret(dataDir: string): Promise<string> {
  try {
    return await loadOrCreateSecret(join(dataDir, 'secret'));
  } catch (error) {
    if (!isError(error)) throw error;
    const expectation = `names a folder whose file "secret" cannot be used: ${error.message}`;
    throw new SettingsError('dataDir', expectation, { cause: error });
  }
}

/** Threads that prove archives: this process's share of the cores. */
function threadsOf({ workers }: Settings): number {
  const cores = Math.floor(availableParallelism() / workers);
  return Math.max(1, Math.min(MAX_THREADS, cores, memoryBudget(workers).threads));
}

async function openDatabase(
  { database }: Settings,
  { unfinishedImport = 'refused' }: ComposeOptions,
  open: () => Promise<Persistence>,
): Promise<Persistence> {
  const { option } = databaseOf(database);
  const { persistence, isUnfinished } = await orSettingsError(option, async () => {
    const persistence = await open();
    await persistence.migrate().catch(async (error: unknown) => {
      if (!isOutdated(error) || !isFault(error)) throw error;
      throw new Fault(error.code, `${error.message}; this is ${await release()}`, { cause: error });
    });
    return { persistence, isUnfinished: await persistence.imports.isUnfinished() };
  });
  if (isUnfinished && unfinishedImport === 'refused') {
    throw new SettingsError(
      option,
      'names a database into which an import has not ended: run it again, to its end',
    );
  }
  return persistence;
}
