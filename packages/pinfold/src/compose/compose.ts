import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { createUseCases, defaultLimits, Fault, isFault } from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import {
  type AllPorts,
  instrument,
  type Observer,
  onRoleEvents,
  type Persistence,
} from '@pinfold/core/adapter';
import { createAdministration } from '@pinfold/core/administration';
import { createCleaning } from '@pinfold/core/cleaning';
import { createHistory } from '@pinfold/core/history';
import { codeOf, isError, needsNewerRelease, STORES } from '@pinfold/core/internal';
import { createSharing } from '@pinfold/core/sharing';
import { createViews } from '@pinfold/core/views';
import type { Parts } from '@pinfold/inversify';
import * as node from '@pinfold/platform-node';
import { freeBytes } from '../health/dependency.ts';
import type { Pool } from '../metrics/gauges.ts';
import { readRelease } from '../release.ts';
import type { ServiceOptions } from '../settings/options.ts';
import { omitUndefined } from '../settings/read-option.ts';
import type { Settings } from '../settings/settings.ts';
import { orSettingsError, SettingsError } from '../settings/settings-error.ts';
import { resolveWebAddresses, type WebAddresses } from '../settings/web-addresses.ts';
import { checkIsDataFolder, openDataFolder } from './data-folder.ts';
import { createMemoryBudget } from './memory-budget.ts';
import { RunningPublications } from './running-publications.ts';
import { openDatabase, openStorage } from './stores.ts';

/** The options in code, and the purpose for which the service is opened. */
export interface ComposeOptions extends ServiceOptions {
  /**
   * A server creates a missing data folder. A command rejects a folder that is missing or not a server's; with
   * `archives`, for all of them, also one without them. An import creates it, too, and is the only one that opens a
   * database with an unfinished import. Default: `server`.
   */
  readonly purpose?: 'server' | 'command' | 'archives' | 'import';
  /** The addresses of the service, if they are known only after it listens. */
  readonly addresses?: () => WebAddresses;
  /** Aborted when the service stops, so that requests that wait for events end. */
  readonly stopping?: AbortSignal;
}

/** Provides the parts of a service: from a container, or from plain code. */
export interface Layer {
  /** Returns the layer's own part of this name, or else the result of `make`. */
  provide<Name extends keyof Parts>(
    name: Name,
    make: () => Parts[Name] | Promise<Parts[Name]>,
  ): Promise<Parts[Name]>;
  /** Observers of port calls, closer to the ports than all others. */
  observers(): readonly Observer[];
  close(): Promise<void>;
}

const PLAIN_LAYER: Layer = {
  provide: async (_name, make) => make(),
  observers: () => [],
  close: async () => {},
};

/** Creates each part from the parts listed before it. */
type Makers<Name extends keyof Parts> = {
  readonly [Part in Name]: (earlier: Pick<Parts, Name>) => Parts[Part] | Promise<Parts[Part]>;
};

/** Provides parts one after the other, in the order of the makers. */
export async function provideAll<Name extends keyof Parts>(
  layer: Layer,
  makers: Makers<Name>,
): Promise<Pick<Parts, Name>> {
  const parts = {} as { [Part in Name]: Parts[Part] };
  for (const name of Object.keys(makers) as Name[]) {
    parts[name] = await layer.provide(name, () => makers[name](parts));
  }
  return parts;
}

type Ports = AllPorts & Pick<Parts, 'persistence'>;

export type Doors = Pick<Parts, 'api' | 'viewer' | 'management'>;
type UseCases = Omit<Parts, keyof Ports | keyof Doors | 'authenticate'>;

export interface ComposedService extends UseCases {
  readonly ports: Ports;
  readonly publications: RunningPublications;
  /** The data folder's absolute path. */
  readonly dataDir: string;
  /** The free bytes in the data folder. */
  free(): Promise<number>;
  /** The connection pool, if the database has one. */
  readonly pool: Pool | undefined;
  readonly layer: Layer;
  /** Closes everything that was opened. Further calls wait for the same end. */
  close(): Promise<void>;
}

/**
 * Opens the stores of the settings, migrates the database, and creates the use cases.
 *
 * @throws SettingsError if a setting cannot be used; Fault if another store cannot be opened.
 */
export async function compose(
  settings: Settings,
  options: ComposeOptions = {},
  layer: Layer = PLAIN_LAYER,
): Promise<ComposedService> {
  const { purpose = 'server' } = options;
  const isNew = purpose === 'server' || purpose === 'import';
  const dataDir = await openDataFolder(settings.dataDir, isNew ? 'created' : 'refused');
  if (!isNew) await checkIsDataFolder(dataDir, settings, purpose === 'archives');
  // In the order of closing: the last opened comes first.
  const closers: Closer[] = [];
  const close = once(() => closers.reduce((earlier, next) => earlier.finally(next), layer.close()));
  try {
    const publications = new RunningPublications();
    const { ports: unobserved, pool } = await openPorts(settings, dataDir, options, layer, closers);
    // The first observer is the closest to the port.
    const ports = instrument(unobserved, [
      ...layer.observers(),
      ...(options.observers ?? []),
      ...(options.onEvent === undefined ? [] : [onRoleEvents(options.onEvent)]),
      publications.observer,
    ]);
    // Checks S3 only: a wrong bucket would go unnoticed, but an unavailable folder may be back soon.
    if (settings.storage.kind === 's3' && purpose === 'server') {
      await orSettingsError('storage', () => ports.archives.check());
    }
    const useCases = await makeUseCases(settings, ports, options, layer, publications);
    const free = () => freeBytes(dataDir);
    return { ...useCases, ports, publications, dataDir, free, pool, layer, close };
  } catch (error) {
    // A store that could not be opened may fail again when it is closed.
    await close().catch(() => undefined);
    if (!isFault(error) || codeOf(error.cause) !== 'EXDEV') throw error;
    // Uploads are moved to archives within the data folder, but one of them is on another file system, by a mount or link.
    throw new SettingsError('dataDir', `cannot be used: ${error.message}`, { cause: error });
  }
}

const MAX_THREADS = 4;

/** Opens the ports that the settings name. */
async function openPorts(
  settings: Settings,
  dataDir: string,
  options: ComposeOptions,
  layer: Layer,
  closers: Closer[],
): Promise<{ readonly ports: Ports; readonly pool: Pool | undefined }> {
  const { workers } = settings;
  const budget = createMemoryBudget(workers);
  const secrets = settings.secrets ?? ([await loadStoredSecret(dataDir)] as const);
  const clock = await layer.provide('clock', () => options.clock ?? new node.SystemClock());
  const storage = await openStorage(settings, dataDir, clock, options);
  closers.unshift(storage.end);
  let pool: Pool | undefined;
  const persistence = await openReadyDatabase(settings, options, () =>
    layer.provide('persistence', async () => {
      if (options.persistence !== undefined) return options.persistence;
      const database = await openDatabase(settings.database, dataDir);
      closers.unshift(database.end);
      pool = database.pool;
      const persistence = await database.persistence();
      closers.unshift(() => persistence.close());
      return persistence;
    }),
  );
  const stores = Object.fromEntries(STORES.map((name) => [name, () => persistence[name]])) as {
    readonly [Name in (typeof STORES)[number]]: () => Parts[Name];
  };
  const others = await provideAll(layer, {
    ...stores,
    machine: () => options.machine ?? new node.NodeMachine(),
    ids: () => options.ids ?? new node.RandomIds(),
    archives: () => options.archives ?? storage.archives(persistence.roles),
    staging: () => options.staging ?? storage.staging(),
    inspector: () => {
      // The share of this process.
      const cores = Math.max(1, Math.floor(availableParallelism() / workers));
      const inspector = new ZipArchiveInspector({ workers: Math.min(MAX_THREADS, cores, budget.threads) });
      closers.unshift(() => inspector.close());
      return inspector;
    },
    passwords: () => new node.ScryptPasswordHasher(budget.hashing),
    grants: () => new node.HmacGrantSigner({ secrets }),
    apiKeySecrets: () => new node.NodeApiKeySecrets(),
    sessionSecrets: () => new node.NodeSessionSecrets(),
  });
  return { ports: { persistence, clock, ...others }, pool };
}

async function makeUseCases(
  settings: Settings,
  ports: Ports,
  options: ComposeOptions,
  layer: Layer,
  publications: RunningPublications,
): Promise<UseCases> {
  const addresses = options.addresses ?? (() => resolveWebAddresses(settings, settings.port));
  // The setting is only the lifetime of new publications; a lifetime set in code is also the default renewal.
  const renewal = settings.limits.lifetime && defaultLimits.renewal;
  const limits = { ...omitUndefined({ renewal }), ...options.limits, ...settings.limits };
  const { limitsOf, beforePublish, observe, stopping, keyLimit: limit = settings.keyLimit } = options;
  const rules = {
    absolutePathsWork: addresses().viewerMode === 'origin',
    publicUrl: () => addresses().publicUrl,
    quotas: { publications: settings.rates.publications, ...settings.quotas },
    ...omitUndefined({ retention: settings.historyRetention, limitsOf, beforePublish, observe, stopping }),
  };
  return provideAll(layer, {
    manageKeys: () => createKeys(ports, { limit }),
    useCases: () => {
      const useCases = createUseCases(ports, limits, rules);
      return {
        ...useCases,
        publish: publications.countCalls(useCases.publish),
        ...createSharing(ports, limits, rules),
        ...createCleaning(ports, limits, rules),
      };
    },
    manageSessions: ({ manageKeys }) => createSessions(ports, manageKeys, rules),
    managePairings: ({ manageKeys }) => createPairings(ports, manageKeys),
    manageHistory: () => createHistory(ports, rules),
    countedViews: () => createViews(ports),
    administration: () => createAdministration(ports, rules),
  });
}

/** Reads the secret in the data folder, which signs grants if the settings have none; creates it at the first start. */
async function loadStoredSecret(dataDir: string): Promise<string> {
  try {
    return await node.loadOrCreateSecret(join(dataDir, 'secret'));
  } catch (error) {
    if (!isError(error)) throw error;
    const expectation = `names a folder whose file "secret" cannot be used: ${error.message}`;
    throw new SettingsError('dataDir', expectation, { cause: error });
  }
}

async function openReadyDatabase(
  { database }: Settings,
  { purpose }: ComposeOptions,
  open: () => Promise<Persistence>,
): Promise<Persistence> {
  // The option to name if the database cannot be used.
  const option = database.kind === 'sqlite' ? 'dataDir' : 'database';
  return orSettingsError(option, async () => {
    const persistence = await open();
    await persistence.migrate().catch(async (error: unknown) => {
      if (!needsNewerRelease(error) || !isFault(error)) throw error;
      throw new Fault(error.code, `${error.message}; this is ${await readRelease()}`, { cause: error });
    });
    if (purpose !== 'import' && (await persistence.imports.isUnfinished())) {
      const expectation = 'names a database with an incomplete import: run the import again, to its end';
      throw new SettingsError(option, expectation);
    }
    return persistence;
  });
}

type Closer = () => Promise<void>;

/** Returns a function that closes once; every call waits for its end. */
export function once(close: Closer): Closer {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= close();
    return closed;
  };
}
