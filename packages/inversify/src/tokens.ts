import type {
  AccountStore,
  ApiKeySecrets,
  ApiKeyStore,
  ArchiveInspector,
  ArchiveStorage,
  AttemptCounter,
  Cleaning,
  Clock,
  GrantSigner,
  HistoryStore,
  Ids,
  Keys,
  PairingStore,
  Pairings,
  PasswordHasher,
  RoleStore,
  ServiceMode,
  SessionSecrets,
  SessionStore,
  Sessions,
  Staging,
  TakedownStore,
  UseCases,
  ViewStore,
} from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import type { Administration } from '@pinfold/core/administration';
import type { History } from '@pinfold/core/history';
import type { Import, Snapshot } from '@pinfold/core/moving';
import type { Views } from '@pinfold/core/views';
import type { ServiceIdentifier } from 'inversify';

/**
 * One token for every port, and for what is made of the ports. Each symbol is shared by all copies of this package.
 *
 * @example
 * import { tokens } from '@pinfold/inversify';
 * import { createMemory } from '@pinfold/memory';
 * import { ContainerModule } from 'inversify';
 *
 * const { archives } = createMemory();
 * const mine = new ContainerModule(({ rebind }) => {
 *   rebind(tokens.archives).toConstantValue(archives);
 * });
 */
export const tokens = {
  roles: Symbol.for('@pinfold/roles') as ServiceIdentifier<RoleStore>,
  accounts: Symbol.for('@pinfold/accounts') as ServiceIdentifier<AccountStore>,
  attempts: Symbol.for('@pinfold/attempts') as ServiceIdentifier<AttemptCounter>,
  apiKeys: Symbol.for('@pinfold/api-keys') as ServiceIdentifier<ApiKeyStore>,
  sessions: Symbol.for('@pinfold/sessions') as ServiceIdentifier<SessionStore>,
  mode: Symbol.for('@pinfold/mode') as ServiceIdentifier<ServiceMode>,
  history: Symbol.for('@pinfold/history') as ServiceIdentifier<HistoryStore>,
  takedowns: Symbol.for('@pinfold/takedowns') as ServiceIdentifier<TakedownStore>,
  views: Symbol.for('@pinfold/views') as ServiceIdentifier<ViewStore>,
  snapshot: Symbol.for('@pinfold/snapshot') as ServiceIdentifier<Snapshot>,
  imports: Symbol.for('@pinfold/imports') as ServiceIdentifier<Import>,
  pairings: Symbol.for('@pinfold/pairings') as ServiceIdentifier<PairingStore>,
  /** The handle that those above come from. */
  persistence: Symbol.for('@pinfold/persistence') as ServiceIdentifier<Persistence>,
  staging: Symbol.for('@pinfold/staging') as ServiceIdentifier<Staging>,
  archives: Symbol.for('@pinfold/archives') as ServiceIdentifier<ArchiveStorage>,
  inspector: Symbol.for('@pinfold/inspector') as ServiceIdentifier<ArchiveInspector>,
  passwords: Symbol.for('@pinfold/passwords') as ServiceIdentifier<PasswordHasher>,
  grants: Symbol.for('@pinfold/grants') as ServiceIdentifier<GrantSigner>,
  clock: Symbol.for('@pinfold/clock') as ServiceIdentifier<Clock>,
  ids: Symbol.for('@pinfold/ids') as ServiceIdentifier<Ids>,
  apiKeySecrets: Symbol.for('@pinfold/api-key-secrets') as ServiceIdentifier<ApiKeySecrets>,
  sessionSecrets: Symbol.for('@pinfold/session-secrets') as ServiceIdentifier<SessionSecrets>,
  /** What `createUseCases` and `createCleaning` give together. */
  useCases: Symbol.for('@pinfold/use-cases') as ServiceIdentifier<UseCases & Cleaning>,
  manageKeys: Symbol.for('@pinfold/manage-keys') as ServiceIdentifier<Keys>,
  manageSessions: Symbol.for('@pinfold/manage-sessions') as ServiceIdentifier<Sessions>,
  managePairings: Symbol.for('@pinfold/manage-pairings') as ServiceIdentifier<Pairings>,
  administration: Symbol.for('@pinfold/administration') as ServiceIdentifier<Administration>,
  manageHistory: Symbol.for('@pinfold/manage-history') as ServiceIdentifier<History>,
  countedViews: Symbol.for('@pinfold/counted-views') as ServiceIdentifier<Views>,
} as const;

/** The type of {@link tokens}. */
export type Tokens = typeof tokens;
