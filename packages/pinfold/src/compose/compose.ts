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
import { codeOf, isError, isOutdated, STORES } from '@pinfold/core/internal';
import { createSharing } from '@pinfold/core/sharing';
import { createViews } from '@pinfold/core/views';
import type { Parts } from '@pinfold/inversify';
import * as node from '@pinfold/platform-node';
import { freeBytes } from '../health/upload-disk.ts';
import type { Pool } from '../metrics/gauges.ts';
import { release } from '../release.ts';
import { openDatabase } from '../settings/databases.ts';
import type { ServiceOptions } from '../settings/options.ts';
import { orSettingsError } from '../settings/or-settings-error.ts';
import { omitUndefined } from '../settings/read-option.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { type WebAddresses, webAddresses } from '../settings/web-addresses.ts';
import { openDataFolder, refuseForeign } from './data-folder.ts';
import { memoryBudget } from './memory-budget.ts';
import { RunningPublications } from './running-publications.ts';
import { heldIn, storageOf } from './storage.ts';

/** Options in code, and what the server and the command say beside them. */
export interface ComposeOptions extends ServiceOptions {
  /**
   * A server makes a missing data folder; a command rejects one that is missing or not a server's; an import makes one,
   * too, and alone opens a database with an unfinished import. Default: `server`.
   */
  readonly opener?: 'server' | 'command' | 'import';
  /** Where the service is reached, if the port is known later than the settings. */
  readonly addresses?: () => WebAddresses;
  /** Aborted when the service stops: waits for events end. */
  readonly stopping?: AbortSignal;
}

/** The source of a service's parts: a container, or plain code. */
export interface Layer {
  /** The layer's own part of this name, or else the result of `make`. */
  provide<Name extends keyof Parts>(
    name: Name,
    make: () => Parts[Name] | Promise<Parts[Name]>,
  ): Promise<Parts[Name]>;
  /** They wrap the calls of the ports, nearer to the ports than all other observers. */
  observers(): readonly Observer[];
  close(): Promise<void>;
}

const PLAIN: Layer = { provide: async (_name, make) => make(), observers: () => [], close: async () => {} };

/** What makes each part; it is given those that are listed before. */
type Makers<Name extends keyof Parts> = {
  readonly [Part in Name]: (earlier: Pick<Parts, Name>) => Parts[Part] | Promise<Parts[Part]>;
};

/** Provides parts, one after the other. */
export async function provideAll<Name extends keyof Parts>(
  layer: Layer,
  makers: Makers<Name>,
): Promise<Pick<Parts, Name>> {
  const made = {} as { [Part in Name]: Parts[Part] };
  for (const name of Object.keys(makers) as Name[]) {
    made[name] = await layer.provide(name, () => makers[name](made));
  }
  return made;
}

type Ports = AllPorts & Pick<Parts, 'persistence'>;

export type Doors = Pick<Parts, 'api' | 'viewer' | 'management'>;
type UseCases = Omit<Parts, keyof Ports | keyof Doors | 'authenticate'>;

export interface ComposedService extends UseCases {
  readonly ports: Ports;
  readonly publications: RunningPublications;
  /** The data folder's absolute path. */
  readonly dataDir: string;
  /** How many bytes are free in the data folder. */
  free(): Promise<number>;
  /** The pool of connections, if the database has one. */
  readonly pool: Pool | undefined;
  readonly layer: Layer;
  /** Closes what was opened; closing again does nothing. */
  close(): Promise<void>;
}

/**
 * Opens the stores that the settings name, brings the database up to this release, and makes the use cases.
 *
 * @throws SettingsError when a setting cannot be used; Fault when another store cannot be opened.
 */
export async function compose(
  settings: Settings,
  options: ComposeOptions = {},
  layer: Layer = PLAIN,
): Promise<ComposedService> {
  const { opener = 'server' } = options;
  const missing = opener === 'command' ? 'refused' : 'made';
  const dataDir = await openDataFolder(settings.dataDir, missing);
  if (missing === 'refused') await refuseForeign(dataDir, heldIn(settings));
  // Each is to be closed before those that were opened earlier.
  const closers: Closer[] = [];
  const close = once(() => closers.reduce((earlier, next) => earlier.finally(next), layer.close()));
  try {
    const publications = new RunningPublications();
    const { ports: unobserved, pool } = await openPorts(settings, dataDir, options, layer, closers);
    // The first one is nearest to the store.
    const ports = instrument(unobserved, [
      ...layer.observers(),
      ...(options.observers ?? []),
      ...(options.onEvent === undefined ? [] : [onRoleEvents(options.onEvent)]),
      publications.observer,
    ]);
    // A wrong bucket would go unnoticed; an unavailable folder may be back soon.
    if (settings.storage.kind === 's3' && opener === 'server') {
      await orSettingsError('storage', () => ports.archives.check());
    }
    const useCases = await makeUseCases(settings, ports, options, layer, publications);
    const free = () => freeBytes(dataDir);
    return { ...useCases, ports, publications, dataDir, free, pool, layer, close };
  } catch (error) {
    // A store that could not be opened fails again when it is closed.
    await close().catch(() => undefined);
    if (!isFault(error) || codeOf(error.cause) !== 'EXDEV') throw error;
    // Uploads and archives are both in the data folder: a mount or a link below it has put one of them elsewhere.
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
  const budget = memoryBudget(workers);
  const secrets = settings.secrets ?? ([await storedSecret(dataDir)] as const);
  const clock = await layer.provide('clock', () => options.clock ?? new node.SystemClock());
  const storage = await storageOf(settings, dataDir, clock, options.addHeaders);
  closers.unshift(storage.end);
  let pool: Pool | undefined;
  const persistence = await readyDatabase(settings, options, () =>
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
    staging: () => options.staging ?? storage.staging(),
    archives: () => options.archives ?? storage.archives(),
    inspector: () => {
      // This process's share of the cores.
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
  const addresses = options.addresses ?? (() => webAddresses(settings, settings.port));
  // The setting is the first lifetime alone; limits set in code mean the renewal as well.
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
        publish: publications.counting(useCases.publish),
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

/** The secret in the data folder, which signs viewing grants if the settings have none; created at the first start. */
async function storedSecret(dataDir: string): Promise<string> {
  try {
    return await node.loadOrCreateSecret(join(dataDir, 'secret'));
  } catch (error) {
    if (!isError(error)) throw error;
    const expectation = `names a folder whose file "secret" cannot be used: ${error.message}`;
    throw new SettingsError('dataDir', expectation, { cause: error });
  }
}

async function readyDatabase(
  { database }: Settings,
  { opener }: ComposeOptions,
  open: () => Promise<Persistence>,
): Promise<Persistence> {
  // What is wrong when the database cannot be used.
  const option = database.kind === 'sqlite' ? 'dataDir' : 'database';
  return orSettingsError(option, async () => {
    const persistence = await open();
    await persistence.migrate().catch(async (error: unknown) => {
      if (!isOutdated(error) || !isFault(error)) throw error;
      throw new Fault(error.code, `${error.message}; this is ${await release()}`, { cause: error });
    });
    if (opener !== 'import' && (await persistence.imports.isUnfinished())) {
      const expectation = 'names a database into which an import has not ended: run it again, to its end';
      throw new SettingsError(option, expectation);
    }
    return persistence;
  });
}

type Closer = () => Promise<void>;

/** Closes once: each call waits for the same end. */
export function once(close: Closer): Closer {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= close();
    return closed;
  };
}
