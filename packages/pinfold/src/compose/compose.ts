import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import {
  type ArchiveStorage,
  type BeforePublish,
  type Clock,
  createUseCases,
  defaultLimits,
  Fault,
  type Ids,
  isFault,
  type Limits,
  type Machine,
  type Observe,
  type Staging,
  type UseCaseOptions,
} from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import {
  type AllPorts,
  instrument,
  type Observer,
  type OnEvent,
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
import type { Pool } from '../metrics/gauges.ts';
import { release } from '../release.ts';
import { databaseOf } from '../settings/databases.ts';
import { orSettingsError } from '../settings/or-settings-error.ts';
import { given } from '../settings/read-option.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { type WebAddresses, webAddresses } from '../settings/web-addresses.ts';
import { openDataFolder, refuseForeign } from './data-folder.ts';
import { memoryBudget } from './memory-budget.ts';
import { RunningPublications } from './running-publications.ts';
import { heldIn, storageOf } from './storage.ts';

/** Options in code, beside the settings. */
export interface ComposeOptions {
  /** Your own database in place of the settings'. It is migrated, but not closed. */
  readonly persistence?: Persistence | undefined;
  /** Your own storage of archives in place of the settings'. */
  readonly archives?: ArchiveStorage | undefined;
  /** Your own storage of uploads in place of a folder in the data folder. */
  readonly staging?: Staging | undefined;
  readonly clock?: Clock | undefined;
  /** Measures the time between sweeps. Default: the machine that the process runs on. */
  readonly machine?: Machine | undefined;
  readonly ids?: Ids | undefined;
  /** Limits that differ from the core's defaults. */
  readonly limits?: Partial<Limits> | undefined;
  /** Limits that differ for an account; called for each publication and each renewal. */
  readonly limitsOf?: UseCaseOptions['limitsOf'] | undefined;
  /** The most API keys of an account that are not revoked; null: any number. Default: the setting's. */
  readonly keyLimit?: number | null | undefined;
  readonly beforePublish?: BeforePublish | undefined;
  /** Called with each event of a publication after it is stored, at most once. It must neither throw nor wait. */
  readonly onEvent?: OnEvent | undefined;
  /** `made` creates a missing data folder; `refused` rejects one that is missing or not a server's. Default: `made`. */
  readonly missingDataFolder?: 'made' | 'refused' | undefined;
  /** Where the service is reached, if the port is known later than the settings. */
  readonly addresses?: (() => WebAddresses) | undefined;
  /** Receives measurements of the use cases, for metrics. */
  readonly observe?: Observe | undefined;
  /** Wrap every call of stores, archives, staging and inspector, such as `observer` of a telemetry. */
  readonly observers?: readonly Observer[] | undefined;
  /** Adds headers to each request to an object store, such as `traceparent`. */
  readonly addHeaders?: ((headers: Record<string, string>) => void) | undefined;
  /** Aborted when the service stops: waits for events end. */
  readonly stopping?: AbortSignal | undefined;
  /** Whether a database with an unfinished import is opened. Default: `refused`. */
  readonly unfinishedImport?: 'refused' | 'taken' | undefined;
}

/** The source of a service's parts: a container, or plain code. */
export interface Layer {
  /** The layer's own part of this name, or else the result of `make`. */
  provide<Name extends keyof Parts>(name: Name, make: Makers<Name>[Name]): Promise<Parts[Name]>;
  /** They wrap the calls of the ports, nearer to the ports than all other observers. */
  observers(): readonly Observer[];
  close(): Promise<void>;
}

type Makers<Name extends keyof Parts> = { readonly [Part in Name]: () => Parts[Part] | Promise<Parts[Part]> };

const PLAIN: Layer = { provide: async (_name, make) => make(), observers: () => [], close: async () => {} };

/** Provides parts, one after the other. */
export async function provideAll<Name extends keyof Parts>(
  layer: Layer,
  makers: Makers<Name>,
): Promise<Pick<Parts, Name>> {
  const made: Partial<Pick<Parts, Name>> = {};
  for (const name of Object.keys(makers) as Name[]) made[name] = await layer.provide(name, makers[name]);
  return made as Pick<Parts, Name>;
}

type Ports = AllPorts & Pick<Parts, 'persistence'>;

type UseCaseParts =
  | 'useCases'
  | `manage${'Keys' | 'Sessions' | 'Pairings' | 'History'}`
  | 'countedViews'
  | 'administration';

export interface ComposedService extends Pick<Parts, UseCaseParts> {
  readonly ports: Ports;
  readonly publications: RunningPublications;
  /** The data folder's absolute path. */
  readonly dataDir: string;
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
  const missing = options.missingDataFolder ?? 'made';
  const dataDir = await openDataFolder(settings.dataDir, missing);
  const held = heldIn(settings);
  if (missing === 'refused' && held !== undefined) await refuseForeign(dataDir, held);
  const closers: Closer[] = [() => layer.close()];
  const close = once(() => closeAll(closers));
  try {
    const publications = new RunningPublications();
    const { ports: unobserved, pool } = await openPorts(settings, dataDir, options, layer, (closer) =>
      closers.splice(1, 0, closer),
    );
    // The first one is nearest to the store.
    const ports = instrument(unobserved, [
      ...layer.observers(),
      ...(options.observers ?? []),
      ...(options.onEvent === undefined ? [] : [onRoleEvents(options.onEvent)]),
      publications.observer,
    ]);
    const useCases = await makeUseCases(settings, ports, options, layer, publications);
    return { ...useCases, ports, publications, dataDir, pool, layer, close };
  } catch (error) {
    // A store that could not be opened fails again when it is closed.
    await close().catch(() => undefined);
    if (!isFault(error) || codeOf(error.cause) !== 'EXDEV') throw error;
    // Uploads and archives are both in the data folder: a mount or a link below it has put one of them elsewhere.
    throw new SettingsError('dataDir', `cannot be used: ${error.message}`, { cause: error });
  }
}

const MAX_THREADS = 4;

/** Opens the ports that the settings name; each closer is to be called before those that were added earlier. */
async function openPorts(
  settings: Settings,
  dataDir: string,
  options: ComposeOptions,
  layer: Layer,
  addCloser: (closer: Closer) => void,
): Promise<{ readonly ports: Ports; readonly pool: Pool | undefined }> {
  const { workers } = settings;
  const budget = memoryBudget(workers);
  const secrets = settings.secrets ?? ([await storedSecret(dataDir)] as const);
  const { clock } = await provideAll(layer, { clock: () => options.clock ?? new node.SystemClock() });
  const storage = await storageOf(settings, dataDir, clock, options.addHeaders);
  addCloser(storage.end);
  let pool: Pool | undefined;
  const persistence = await openDatabase(settings, options, () =>
    layer.provide('persistence', async () => {
      if (options.persistence !== undefined) return options.persistence;
      const database = await databaseOf(settings.database).open(dataDir, settings.database.url ?? '');
      addCloser(database.end);
      pool = database.pool;
      const persistence = await database.persistence();
      addCloser(() => persistence.close());
      return persistence;
    }),
  );
  const stores = Object.fromEntries(STORES.map((name) => [name, () => persistence[name]]));
  const others = await provideAll(layer, {
    ...(stores as Makers<(typeof STORES)[number]>),
    machine: () => options.machine ?? new node.NodeMachine(),
    ids: () => options.ids ?? new node.RandomIds(),
    staging: () => options.staging ?? storage.staging(),
    archives: () => options.archives ?? storage.archives(),
    inspector: () => {
      // This process's share of the cores.
      const cores = Math.max(1, Math.floor(availableParallelism() / workers));
      const inspector = new ZipArchiveInspector({ workers: Math.min(MAX_THREADS, cores, budget.threads) });
      addCloser(() => inspector.close());
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
): Promise<Pick<Parts, UseCaseParts>> {
  const addresses = options.addresses ?? (() => webAddresses(settings, settings.port));
  // The setting is the first lifetime alone; limits set in code mean the renewal as well.
  const renewal = settings.limits.lifetime && defaultLimits.renewal;
  const limits = { ...given({ renewal }), ...options.limits, ...settings.limits };
  const { limitsOf, beforePublish, observe, stopping, keyLimit: limit = settings.keyLimit } = options;
  const rules = {
    absolutePathsWork: addresses().viewerMode === 'origin',
    publicUrl: () => addresses().publicUrl,
    quotas: { publications: settings.rates.publications, ...settings.quotas },
    ...given({ retention: settings.historyRetention, limitsOf, beforePublish, observe, stopping }),
  };
  const { manageKeys } = await provideAll(layer, { manageKeys: () => createKeys(ports, { limit }) });
  const others = await provideAll(layer, {
    useCases: () => {
      const useCases = createUseCases(ports, limits, rules);
      return {
        ...useCases,
        publish: publications.counting(useCases.publish),
        ...createSharing(ports, limits, rules),
        ...createCleaning(ports, limits, rules),
      };
    },
    manageSessions: () => createSessions(ports, manageKeys, rules),
    managePairings: () => createPairings(ports, manageKeys),
    manageHistory: () => createHistory(ports, rules),
    countedViews: () => createViews(ports),
    administration: () => createAdministration(ports, rules),
  });
  return { manageKeys, ...others };
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

async function openDatabase(
  { database }: Settings,
  { unfinishedImport = 'refused' }: ComposeOptions,
  open: () => Promise<Persistence>,
): Promise<Persistence> {
  const { option } = databaseOf(database);
  return orSettingsError(option, async () => {
    const persistence = await open();
    await persistence.migrate().catch(async (error: unknown) => {
      if (!isOutdated(error) || !isFault(error)) throw error;
      throw new Fault(error.code, `${error.message}; this is ${await release()}`, { cause: error });
    });
    if (unfinishedImport === 'refused' && (await persistence.imports.isUnfinished())) {
      const expectation = 'names a database into which an import has not ended: run it again, to its end';
      throw new SettingsError(option, expectation);
    }
    return persistence;
  });
}

type Closer = () => Promise<void>;

async function closeAll([close, ...rest]: readonly Closer[]): Promise<void> {
  try {
    await close?.();
  } finally {
    if (rest.length > 0) await closeAll(rest);
  }
}

/** Closes once: each call waits for the same end. */
export function once(close: Closer): Closer {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= close();
    return closed;
  };
}
