import { createUseCases, type Limits, type UseCaseOptions } from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import { instrument, type Observer, type OnEvent, onRoleEvents } from '@pinfold/core/adapter';
import { createAdministration } from '@pinfold/core/administration';
import { createCleaning } from '@pinfold/core/cleaning';
import { createHistory, type HistoryOptions } from '@pinfold/core/history';
import { createSharing } from '@pinfold/core/sharing';
import { createViews } from '@pinfold/core/views';
import { type Bind, ContainerModule, type ResolvedValueInjectOptions } from 'inversify';
import { observer, type Parts, type Tokens, tokens } from './tokens.ts';

/** {@link UseCaseOptions}, and who hears of publications. */
export interface CoreModuleOptions extends UseCaseOptions {
  /** Called with what happened to a publication, after it is stored and at most once. It must neither throw nor wait. */
  readonly onEvent?: OnEvent | undefined;
  /** The most API keys of an account that are not revoked; null: any number. Default 100. */
  readonly keyLimit?: number | null | undefined;
}

/** The ports of the sweeps beside `cleanUp`. */
const REMOVAL = ['roles', 'mode', 'clock', 'machine', 'persistence'] as const;

/** The observers that modules bind; there may be none. */
const OBSERVERS = { serviceIdentifier: observer, isMultiple: true, optional: true } as const;

/**
 * Binds `useCases`, `manageKeys`, `manageSessions`, `managePairings`, `manageHistory`, `countedViews` and `administration`
 * over the ports that are bound elsewhere. Their calls of stores pass the observers that are bound to `observer`.
 */
export function coreModule(
  limits: Partial<Limits> = {},
  { onEvent, keyLimit, ...options }: CoreModuleOptions & HistoryOptions = {},
): ContainerModule {
  const reported = onEvent === undefined ? [] : [onRoleEvents(onEvent)];
  return new ContainerModule(({ bind }) => {
    const over = binder(bind, reported);
    over(
      'useCases',
      [
        'roles',
        'accounts',
        'erasures',
        'mode',
        'attempts',
        'staging',
        'archives',
        'inspector',
        'passwords',
        'grants',
        'takedowns',
        'names',
        'clock',
        'machine',
        'persistence',
        'ids',
      ],
      (ports) => ({
        ...createUseCases(ports, limits, options),
        ...createSharing(ports, limits, options),
        ...createCleaning(ports, limits, options),
      }),
    );
    over('manageKeys', ['apiKeys', 'apiKeySecrets', 'clock', 'ids'], (ports) =>
      createKeys(ports, keyLimit === undefined ? {} : { limit: keyLimit }),
    );
    over(
      'manageSessions',
      ['sessions', 'sessionSecrets', 'apiKeys', 'clock', 'ids', 'manageKeys'],
      ({ manageKeys, ...ports }) => createSessions(ports, manageKeys, options),
    );
    over(
      'managePairings',
      ['pairings', 'sessionSecrets', 'apiKeySecrets', 'clock', 'ids', 'manageKeys'],
      ({ manageKeys, ...ports }) => createPairings(ports, manageKeys),
    );
    over('manageHistory', ['history', 'apiKeys', 'ids', ...REMOVAL], (ports) =>
      createHistory(ports, options),
    );
    over('countedViews', ['views', ...REMOVAL], createViews);
    over(
      'administration',
      ['accounts', 'erasures', 'mode', 'roles', 'takedowns', 'archives', 'history', 'clock', 'ids'],
      (ports) => createAdministration(ports, options),
    );
  });
}

/** Binds a part to what is made of others, which are observed on the way. */
function binder(bind: Bind, reported: readonly Observer[]) {
  return <Part extends keyof Tokens, Name extends keyof Tokens>(
    part: Part,
    names: readonly Name[],
    make: (ports: Pick<Parts, Name>) => Parts[Part],
  ): void => {
    const injected = names.map((name): ResolvedValueInjectOptions<unknown> => tokens[name]);
    bind<unknown>(tokens[part])
      .toResolvedValue(
        (...values: unknown[]) => {
          const [observers = [], ...ports] = values as [Observer[] | undefined, ...unknown[]];
          const picked = Object.fromEntries(names.map((name, at) => [name, ports[at]]));
          return make(instrument(picked, [...observers, ...reported]) as Pick<Parts, Name>);
        },
        [OBSERVERS, ...injected],
      )
      .inSingletonScope();
  };
}
