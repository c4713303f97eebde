import type { Cleaning, Keys, Pairings, Sessions, UseCases } from '@pinfold/core';
import type { AllPorts, Observer, Persistence } from '@pinfold/core/adapter';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import { STORES } from '@pinfold/core/internal';
import type { Views } from '@pinfold/core/views';
import type { Authenticate, createApi } from '@pinfold/http-express';
import type { createManagement } from '@pinfold/management';
import type { Viewer } from '@pinfold/viewer';
import type { ServiceIdentifier } from 'inversify';

/** The parts of a service: the ports, the use cases and the request handlers. */
export interface Parts extends AllPorts {
  /** The database, which provides the stores. */
  readonly persistence: Persistence;
  /** The use cases of `createUseCases`, `createSharing` and `createCleaning` together. */
  readonly useCases: UseCases & Cleaning;
  readonly manageKeys: Keys;
  readonly manageSessions: Sessions;
  readonly managePairings: Pairings;
  readonly administration: Administration;
  readonly manageHistory: History;
  readonly countedViews: Views;
  /** Identifies the callers of the API. */
  readonly authenticate: Authenticate;
  /** The API as an Express router. */
  readonly api: ReturnType<typeof createApi>;
  /** Shared URLs and sites, as a request handler. */
  readonly viewer: Viewer;
  /** The management screen as an Express router. */
  readonly management: ReturnType<typeof createManagement>;
}

/** The type of {@link tokens}. */
export type Tokens = { readonly [Name in keyof Parts]: ServiceIdentifier<Parts[Name]> };

const NAMES = [
  ...STORES,
  'persistence',
  'staging',
  'archives',
  'inspector',
  'passwords',
  'grants',
  'clock',
  'machine',
  'ids',
  'apiKeySecrets',
  'sessionSecrets',
  'useCases',
  'manageKeys',
  'manageSessions',
  'managePairings',
  'administration',
  'manageHistory',
  'countedViews',
  'authenticate',
  'api',
  'viewer',
  'management',
] as const satisfies readonly (keyof Parts)[];

/** A token for each part. All copies of this package share the symbols, such as `@pinfold/api-keys` for `apiKeys`. */
export const tokens: Tokens = Object.fromEntries(
  NAMES.map((name) => [
    name,
    Symbol.for(`@pinfold/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`),
  ]),
) as { readonly [Name in (typeof NAMES)[number]]: ServiceIdentifier<Parts[Name]> };

/**
 * Wraps the calls of stores, archives, staging and inspector. Any number may be bound; the first one is closest to the
 * store.
 *
 * @example
 * import { observer } from '@pinfold/inversify';
 * import { ContainerModule } from 'inversify';
 *
 * const logged = new ContainerModule(({ bind }) => {
 *   bind(observer).toConstantValue((call, method, port) => (...inputs) => {
 *     console.log(port, method);
 *     return call(...inputs);
 *   });
 * });
 */
export const observer: ServiceIdentifier<Observer> = Symbol.for('@pinfold/observer');
