import { createManagement, type ManagementOptions } from '@pinfold/management';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { tokens } from './tokens.ts';

/** The management screen as an Express router. */
export const management: ServiceIdentifier<ReturnType<typeof createManagement>> =
  Symbol.for('@pinfold/management');

/** {@link ManagementOptions} without what the container knows. */
export type ManagementModuleOptions = Omit<
  ManagementOptions,
  'useCases' | 'sessions' | 'keys' | 'pairings' | 'history' | 'views' | 'administration'
> & {
  /** Whether there are pages for callers and sessions of the scope `admin`. Absent: there are none. */
  readonly administration?: boolean;
};

/**
 * Binds {@link management}, with our sessions unless `authenticate` is given. Options known late, such as a free port's,
 * are given as a function.
 */
export function managementModule(
  options: ManagementModuleOptions | (() => ManagementModuleOptions),
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(management)
      .toResolvedValue(
        (useCases, keys, sessions, pairings, history, views, administers) => {
          const { administration: isOffered = false, ...given } =
            typeof options === 'function' ? options() : options;
          const administration = isOffered ? { administration: administers } : {};
          const signIn = given.authenticate === undefined ? { sessions } : {};
          const parts = { useCases, keys, pairings, history, views, ...administration };
          return createManagement({ ...given, ...signIn, ...parts });
        },
        [
          tokens.useCases,
          tokens.manageKeys,
          tokens.manageSessions,
          tokens.managePairings,
          tokens.manageHistory,
          tokens.countedViews,
          tokens.administration,
        ],
      )
      .inSingletonScope();
  });
}
