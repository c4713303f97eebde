import type { Cleaning, Keys, Pairings, Sessions, UseCases } from '@pinfold/core';
import type { AllPorts, Observer, Persistence } from '@pinfold/core/adapter';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import { STORES } from '@pinfold/core/internal';
import type { Views } from '@pinfold/core/views';
import type { Bind, ServiceIdentifier } from 'inversify';

/** The ports, and what is made of them. */
export interface Parts extends AllPorts {
  /** The handle that the stores come from. */
  readonly persistence: Persistence;
  /** What `createUseCases`, `createSharing` and `createCleaning` give together. */
  readonly useCases: UseCases & Cleaning;
  readonly manageKeys: Keys;
  readonly manageSessions: Sessions;
  readonly managePairings: Pairings;
  readonly administration: Administration;
  readonly manageHistory: History;
  readonly countedViews: Views;
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
] as const satisfies readonly (keyof Parts)[];

/**
 * One token for every port, and for what is made of the ports. Each symbol is shared by all copies of this package:
 * `@pinfold/api-keys` for `apiKeys`.
 */
export const tokens: Tokens = Object.fromEntries(
  NAMES.map((name) => [
    name,
    Symbol.for(`@pinfold/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`),
  ]),
) as { readonly [Name in (typeof NAMES)[number]]: ServiceIdentifier<Parts[Name]> };

/**
 * Wraps the calls of stores, archives, staging and inspector. Any number may be bound; the first one is nearest to the
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

/** Binds a database and its stores; it is opened once, and closed when it is unbound. */
export function bindPersistence(bind: Bind, open: () => Persistence | Promise<Persistence>): void {
  bind(tokens.persistence)
    .toResolvedValue(open)
    .inSingletonScope()
    .onDeactivation((persistence) => persistence.close());
  for (const name of STORES) {
    bind(tokens[name] as ServiceIdentifier<object>)
      .toResolvedValue((persistence) => persistence[name], [tokens.persistence])
      .inSingletonScope();
  }
}
