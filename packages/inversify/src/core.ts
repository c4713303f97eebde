import { createUseCases, type Limits, type UseCaseOptions } from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import { type OnEvent, tellingRoles, tellingTakedowns } from '@pinfold/core/adapter';
import { createAdministration } from '@pinfold/core/administration';
import { createCleaning } from '@pinfold/core/cleaning';
import { createHistory, type HistoryOptions } from '@pinfold/core/history';
import { createViews } from '@pinfold/core/views';
import { ContainerModule } from 'inversify';
import { tokens } from './tokens.ts';

/** {@link UseCaseOptions}, and what is told of publications. */
export interface CoreModuleOptions extends UseCaseOptions {
  /** Told what happened to a publication, after it is stored and at most once. It must neither throw nor wait. */
  readonly onEvent?: OnEvent;
  /** The most API keys of an account that are not revoked; null: any number. Default 100. */
  readonly keyLimit?: number | null;
}

/**
 * Binds `useCases`, `manageKeys`, `manageSessions`, `managePairings`, `manageHistory`, `countedViews` and `administration` over the ports that are bound elsewhere.
 *
 * @example
 * import { days } from '@pinfold/core';
 * import { coreModule } from '@pinfold/inversify/core';
 * import { Container } from 'inversify';
 *
 * const container = new Container();
 * container.load(coreModule({ lifetime: days(30) }));
 */
export function coreModule(
  limits: Partial<Limits> = {},
  { onEvent, keyLimit, ...options }: CoreModuleOptions & HistoryOptions = {},
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(tokens.useCases)
      .toResolvedValue(
        (
          roles,
          accounts,
          mode,
          attempts,
          staging,
          archives,
          inspector,
          passwords,
          grants,
          takedowns,
          clock,
          ids,
        ) => {
          const ports = {
            roles: onEvent === undefined ? roles : tellingRoles(roles, onEvent),
            accounts,
            mode,
            attempts,
            staging,
            archives,
            inspector,
            passwords,
            grants,
            takedowns,
            clock,
            ids,
          };
          return { ...createUseCases(ports, limits, options), ...createCleaning(ports, limits, options) };
        },
        [
          tokens.roles,
          tokens.accounts,
          tokens.mode,
          tokens.attempts,
          tokens.staging,
          tokens.archives,
          tokens.inspector,
          tokens.passwords,
          tokens.grants,
          tokens.takedowns,
          tokens.clock,
          tokens.ids,
        ],
      )
      .inSingletonScope();
    bind(tokens.manageKeys)
      .toResolvedValue(
        (apiKeys, apiKeySecrets, clock, ids) =>
          createKeys(
            { apiKeys, apiKeySecrets, clock, ids },
            keyLimit === undefined ? {} : { limit: keyLimit },
          ),
        [tokens.apiKeys, tokens.apiKeySecrets, tokens.clock, tokens.ids],
      )
      .inSingletonScope();
    bind(tokens.manageSessions)
      .toResolvedValue(
        (sessions, sessionSecrets, apiKeys, clock, ids, manageKeys) =>
          createSessions({ sessions, sessionSecrets, apiKeys, clock, ids }, manageKeys, options),
        [tokens.sessions, tokens.sessionSecrets, tokens.apiKeys, tokens.clock, tokens.ids, tokens.manageKeys],
      )
      .inSingletonScope();
    bind(tokens.managePairings)
      .toResolvedValue(
        (pairings, sessionSecrets, apiKeySecrets, clock, ids, manageKeys) =>
          createPairings({ pairings, sessionSecrets, apiKeySecrets, clock, ids }, manageKeys),
        [
          tokens.pairings,
          tokens.sessionSecrets,
          tokens.apiKeySecrets,
          tokens.clock,
          tokens.ids,
          tokens.manageKeys,
        ],
      )
      .inSingletonScope();
    bind(tokens.manageHistory)
      .toResolvedValue(
        (history, apiKeys, mode, clock, ids) =>
          createHistory({ history, apiKeys, mode, clock, ids }, options),
        [tokens.history, tokens.apiKeys, tokens.mode, tokens.clock, tokens.ids],
      )
      .inSingletonScope();
    bind(tokens.countedViews)
      .toResolvedValue(
        (views, mode, clock) => createViews({ views, mode, clock }),
        [tokens.views, tokens.mode, tokens.clock],
      )
      .inSingletonScope();
    bind(tokens.administration)
      .toResolvedValue(
        (accounts, mode, roles, takedowns, archives, clock, ids) =>
          createAdministration(
            {
              accounts,
              mode,
              roles,
              takedowns: onEvent === undefined ? takedowns : tellingTakedowns(takedowns, onEvent),
              archives,
              clock,
              ids,
            },
            options,
          ),
        [
          tokens.accounts,
          tokens.mode,
          tokens.roles,
          tokens.takedowns,
          tokens.archives,
          tokens.clock,
          tokens.ids,
        ],
      )
      .inSingletonScope();
  });
}
