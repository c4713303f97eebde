import 'reflect-metadata/lite';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type BeforePublish,
  type Cleaning,
  defaultLimits,
  isFault,
  type Keys,
  type Limits,
  type Observe,
  type UseCaseOptions,
  type UseCases,
} from '@pinfold/core';
import type { MigrationScope, OnEvent } from '@pinfold/core/adapter';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Views } from '@pinfold/core/views';
import { tokens } from '@pinfold/inversify';
import { archiveZipModule } from '@pinfold/inversify/archive-zip';
import { coreModule } from '@pinfold/inversify/core';
import { platformNodeModule } from '@pinfold/inversify/platform-node';
import { loadOrCreateSecret } from '@pinfold/platform-node';
import { Container, type ContainerModule } from 'inversify';
import type { Pool } from '../metrics/pool-figures.ts';
import { carriedOut } from '../settings/as-settings-error.ts';
import { type Adapter, databaseOf } from '../settings/databases.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { webAddresses } from '../settings/web-addresses.ts';
import { adaptersOf, heldIn } from './adapter-modules.ts';
import { openDataFolder, refuseForeign } from './data-folder.ts';
import { memoryBudget } from './memory-budget.ts';
import { RunningPublications } from './running-publications.ts';

const MOST_THREADS = 4;

/** What is given in code instead of settings. */
export interface CompositionOptions {
  /** Loaded last: a module that calls `rebind` replaces one of our adapters with yours. */
  readonly modules?: readonly ContainerModule[];
  /** Figures that differ from the core's defaults. */
  readonly limits?: Partial<Limits>;
  /** What differs of them by account, asked for each publication and each renewal. */
  readonly limitsOf?: UseCaseOptions['limitsOf'];
  /** The most API keys of an account that are not revoked; null: any number. Absent, the setting's. */
  readonly keyLimit?: number | null;
  /** Rules of your own for what is published. */
  readonly beforePublish?: BeforePublish;
  /** Told what happened to a publication, after it is stored and at most once. It must neither throw nor wait. */
  readonly onEvent?: OnEvent;
  /** What becomes of a data folder that is not there, or that holds other things than a server's; `made` when absent. */
  readonly missingDataFolder?: 'made' | 'refused';
  /** Where shared URLs begin, where that is known later than the settings. */
  readonly publicUrl?: () => string;
  /** Takes figures of what the use cases do, for metrics. */
  readonly observe?: Observe;
  /** Adds to the headers of each request to an object store, such as the `traceparent` of what it is for. */
  readonly addHeaders?: (headers: Record<string, string>) => void;
  /** Which databases are brought up to this release; `any` when absent. */
  readonly migrates?: MigrationScope;
  /** What becomes of a database into which an import has not ended; `refused` when absent. */
  readonly unfinishedImport?: 'refused' | 'taken';
}

/** The service without HTTP, over open stores. */
export interface Composition {
  readonly container: Container;
  readonly useCases: UseCases & Cleaning;
  readonly manageKeys: Keys;
  readonly history: History;
  readonly views: Views;
  readonly administration: Administration;
  readonly publications: RunningPublications;
  /** The data folder's absolute path. */
  readonly dataDir: string;
  /** The connections to the database, where it has any. */
  readonly pool: Pool | undefined;
  /** Closes what was opened; closing again does nothing. */
  close(): Promise<void>;
}

/**
 * Puts the service together as the settings say: opens the stores and brings the database up to this release.
 *
 * @param watch is given the container with all that is bound, before any of it is made.
 * @throws SettingsError when a setting cannot be carried out, a database that cannot be used among them; Fault when
 * another store cannot be opened.
 *
 * @example
 * import { openComposition, readSettings } from 'pinfold';
 *
 * const { useCases, close } = await openComposition(readSettings({}));
 * console.log((await useCases.cleanUp()).archives);
 * await close();
 */
export async function openComposition(
  settings: Settings,
  options: CompositionOptions = {},
  watch: (container: Container) => void = () => undefined,
): Promise<Composition> {
  const missing = options.missingDataFolder ?? 'made';
  const dataDir = await openDataFolder(settings.dataDir, missing);
  const held = heldIn(settings);
  if (missing === 'refused' && held !== undefined) await refuseForeign(dataDir, held);
  const adapters = await adaptersOf(settings, dataDir, options.addHeaders);
  const container = new Container();
  container.load(...(await modulesOf(settings, dataDir, adapters, options)));
  // After every module: what one binds again forgets what was to be done on activation.
  watch(container);
  const publications = new RunningPublications();
  container.onActivation(tokens.staging, (_context, staging) => publications.counting(staging));
  const close = closeOnce(container, adapters);
  try {
    await openDatabase(container, settings, options);
    const useCases = await container.getAsync(tokens.useCases);
    const manageKeys = await container.getAsync(tokens.manageKeys);
    const history = await container.getAsync(tokens.manageHistory);
    const views = await container.getAsync(tokens.countedViews);
    const administration = await container.getAsync(tokens.administration);
    const pool = adapters.find((adapter) => adapter.pool !== undefined)?.pool;
    return {
      container,
      useCases,
      manageKeys,
      history,
      views,
      administration,
      publications,
      dataDir,
      pool,
      close,
    };
  } catch (error) {
    // A store that could not be opened fails once more when it is let go of.
    await close().catch(() => undefined);
    throw onSeveralVolumes(error) ?? error;
  }
}

/** Uploads and archives are both in the data folder: a mount or a link below it has put one of them elsewhere. */
function onSeveralVolumes(error: unknown): SettingsError | undefined {
  if (!isFault(error) || !(error.cause instanceof Error)) return undefined;
  if (!('code' in error.cause) || error.cause.code !== 'EXDEV') return undefined;
  return new SettingsError('PINFOLD_DATA_DIR', `cannot be used: ${error.message}`, { cause: error });
}

/** What signs viewing grants where no setting says so. An operator may have put another file there, or none fits on the disk. */
async function keptSecret(dataDir: string): Promise<string> {
  try {
    return await loadOrCreateSecret(join(dataDir, 'secret'));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const expectation = `names a folder whose file "secret" cannot be used: ${error.message}`;
    throw new SettingsError('PINFOLD_DATA_DIR', expectation, { cause: error });
  }
}

async function modulesOf(
  settings: Settings,
  dataDir: string,
  adapters: readonly Adapter[],
  {
    modules = [],
    limits = {},
    limitsOf,
    keyLimit,
    beforePublish,
    onEvent,
    observe,
    publicUrl,
  }: CompositionOptions,
): Promise<readonly ContainerModule[]> {
  const secrets = settings.secrets ?? ([await keptSecret(dataDir)] as const);
  const lifetime = settings.lifetime === undefined ? {} : { lifetime: settings.lifetime };
  // What the setting says is the first lifetime alone; who sets limits in code means the renewal as well.
  const renewal = settings.lifetime === undefined ? {} : { renewal: defaultLimits.renewal };
  const history = settings.historyKeptFor === undefined ? {} : { keptFor: settings.historyKeptFor };
  const addresses = webAddresses(settings, settings.port);
  return [
    platformNodeModule({
      secrets,
      hashing: memoryBudget(settings.workers).hashing,
    }),
    archiveZipModule({ workers: threadsOf(settings) }),
    ...adapters.flatMap((adapter) => adapter.modules),
    coreModule(
      { ...renewal, ...limits, ...settings.archives, ...lifetime },
      {
        absolutePathsWork: addresses.viewerMode === 'origin',
        publicUrl: publicUrl ?? addresses.publicUrl,
        ...history,
        ...(limitsOf === undefined ? {} : { limitsOf }),
        ...(beforePublish === undefined ? {} : { beforePublish }),
        ...(onEvent === undefined ? {} : { onEvent }),
        ...(observe === undefined ? {} : { observe }),
        keyLimit: keyLimit === undefined ? settings.keyLimit : keyLimit,
        quotas: { publications: settings.rates.publications, ...settings.quotas },
      },
    ),
    ...modules,
  ];
}

/** Threads that prove archives: the cores are shared among the processes. */
function threadsOf({ workers }: Settings): number {
  const cores = Math.floor(availableParallelism() / workers);
  return Math.max(1, Math.min(MOST_THREADS, cores, memoryBudget(workers).threads));
}

async function openDatabase(
  container: Container,
  { database }: Settings,
  { migrates, unfinishedImport = 'refused' }: CompositionOptions,
): Promise<void> {
  const { variable } = databaseOf(database);
  const isUnfinished = await carriedOut(variable, async () => {
    const persistence = await container.getAsync(tokens.persistence);
    await persistence.migrate(migrates);
    return persistence.imports.isUnfinished();
  });
  if (isUnfinished && unfinishedImport === 'refused') {
    throw new SettingsError(
      variable,
      'names a database into which an import has not ended: run it again, to its end',
    );
  }
}

function closeOnce(container: Container, adapters: readonly Adapter[]): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await container.unbindAllAsync();
    } finally {
      for (const adapter of adapters) await adapter.end();
    }
  };
  return () => {
    closed ??= close();
    return closed;
  };
}
