import {
  type ArchiveStorage,
  type BeforePublish,
  type Clock,
  createUseCases,
  defaultLimits,
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
import { codeOf } from '@pinfold/core/internal';
import { createSharing } from '@pinfold/core/sharing';
import { createViews } from '@pinfold/core/views';
import type { Parts } from '@pinfold/inversify';
import type { Pool } from '../metrics/gauges.ts';
import { given } from '../settings/read-option.ts';
import type { Settings } from '../settings/settings.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { webAddresses } from '../settings/web-addresses.ts';
import { openDataFolder, refuseForeign } from './data-folder.ts';
import { type Closer, openPorts, storedSecret } from './ports.ts';
import { RunningPublications } from './running-publications.ts';
import { heldIn } from './storage.ts';

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
  /** The beginning of shared URLs, if it is known later than the settings. */
  readonly publicUrl?: (() => string) | undefined;
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
  provide<Name extends keyof Parts>(
    name: Name,
    make: () => Parts[Name] | Promise<Parts[Name]>,
  ): Promise<Parts[Name]>;
  /** They wrap the calls of the ports, nearer to the ports than all other observers. */
  observers(): readonly Observer[];
  close(): Promise<void>;
}

const PLAIN: Layer = { provide: async (_name, make) => make(), observers: () => [], close: async () => {} };

export interface ComposedService
  extends Pick<Parts, 'useCases' | 'manageKeys' | 'manageSessions' | 'managePairings' | 'administration'> {
  readonly history: Parts['manageHistory'];
  readonly views: Parts['countedViews'];
  readonly ports: AllPorts & Pick<Parts, 'persistence'>;
  readonly publications: RunningPublications;
  /** The data folder's absolute path. */
  readonly dataDir: string;
  /** The pool of connections, if the database has one. */
  readonly pool: Pool | undefined;
  readonly provide: Layer['provide'];
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
  const secrets = settings.secrets ?? ([await storedSecret(dataDir)] as const);
  const closers: Closer[] = [];
  const close = once(() => closeAll([() => layer.close(), ...closers.toReversed()]));
  try {
    const publications = new RunningPublications();
    const opened = await openPorts(settings, dataDir, secrets, options, layer, closers);
    // The first one is nearest to the store.
    const observers = [
      ...layer.observers(),
      ...(options.observers ?? []),
      ...(options.onEvent === undefined ? [] : [onRoleEvents(options.onEvent)]),
      publications.observer,
    ];
    const ports = instrument(opened.ports, observers);
    const made = await makeUseCases(settings, ports, options, layer.provide, publications);
    return { ...made, ports, publications, dataDir, pool: opened.pool, provide: layer.provide, close };
  } catch (error) {
    // A store that could not be opened fails again when it is closed.
    await close().catch(() => undefined);
    throw onSeveralVolumes(error) ?? error;
  }
}

type UseCaseParts = Omit<
  ComposedService,
  'ports' | 'publications' | 'dataDir' | 'pool' | 'provide' | 'close'
>;

async function makeUseCases(
  settings: Settings,
  ports: ComposedService['ports'],
  options: ComposeOptions,
  provide: Layer['provide'],
  publications: RunningPublications,
): Promise<UseCaseParts> {
  const addresses = webAddresses(settings, settings.port);
  const { historyRetention: retention } = settings;
  // The setting is the first lifetime alone; limits set in code mean the renewal as well.
  const renewal = settings.limits.lifetime && defaultLimits.renewal;
  const limits = { ...given({ renewal }), ...options.limits, ...settings.limits };
  const { limitsOf, beforePublish, observe, stopping, keyLimit: limit = settings.keyLimit } = options;
  const rules = {
    absolutePathsWork: addresses.viewerMode === 'origin',
    publicUrl: options.publicUrl ?? addresses.publicUrl,
    quotas: { publications: settings.rates.publications, ...settings.quotas },
    ...given({ retention, limitsOf, beforePublish, observe, stopping }),
  };
  const manageKeys = await provide('manageKeys', () => createKeys(ports, { limit }));
  return {
    manageKeys,
    useCases: await provide('useCases', () => {
      const useCases = createUseCases(ports, limits, rules);
      return {
        ...useCases,
        publish: publications.counting(useCases.publish),
        ...createSharing(ports, limits, rules),
        ...createCleaning(ports, limits, rules),
      };
    }),
    manageSessions: await provide('manageSessions', () => createSessions(ports, manageKeys, rules)),
    managePairings: await provide('managePairings', () => createPairings(ports, manageKeys)),
    history: await provide('manageHistory', () => createHistory(ports, rules)),
    views: await provide('countedViews', () => createViews(ports)),
    administration: await provide('administration', () => createAdministration(ports, rules)),
  };
}

/** Uploads and archives are both in the data folder: a mount or a link below it has put one of them elsewhere. */
function onSeveralVolumes(error: unknown): SettingsError | undefined {
  if (!isFault(error) || codeOf(error.cause) !== 'EXDEV') return undefined;
  return new SettingsError('dataDir', `cannot be used: ${error.message}`, { cause: error });
}

async function closeAll(closers: readonly Closer[]): Promise<void> {
  const [close, ...rest] = closers;
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(rest);
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
