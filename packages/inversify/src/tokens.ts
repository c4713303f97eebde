import type {
  ApiKeySecrets,
  ApiKeyStore,
  ArchiveInspector,
  ArchiveStorage,
  AttemptCounter,
  Clock,
  GrantSigner,
  Ids,
  ManageKeys,
  ManageSessions,
  PasswordHasher,
  RoleStore,
  SessionSecrets,
  SessionStore,
  Staging,
  UseCases,
} from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import type { ServiceIdentifier } from 'inversify';

/** One token for every port, and for what is made of the ports. Each symbol is shared by all copies of this package. */
export const tokens: Tokens = {
  roles: Symbol.for('@pinfold/roles'),
  attempts: Symbol.for('@pinfold/attempts'),
  apiKeys: Symbol.for('@pinfold/api-keys'),
  sessions: Symbol.for('@pinfold/sessions'),
  persistence: Symbol.for('@pinfold/persistence'),
  staging: Symbol.for('@pinfold/staging'),
  archives: Symbol.for('@pinfold/archives'),
  inspector: Symbol.for('@pinfold/inspector'),
  passwords: Symbol.for('@pinfold/passwords'),
  grants: Symbol.for('@pinfold/grants'),
  clock: Symbol.for('@pinfold/clock'),
  ids: Symbol.for('@pinfold/ids'),
  apiKeySecrets: Symbol.for('@pinfold/api-key-secrets'),
  sessionSecrets: Symbol.for('@pinfold/session-secrets'),
  useCases: Symbol.for('@pinfold/use-cases'),
  manageKeys: Symbol.for('@pinfold/manage-keys'),
  manageSessions: Symbol.for('@pinfold/manage-sessions'),
};

/** The type of {@link tokens}. */
export interface Tokens {
  readonly roles: ServiceIdentifier<RoleStore>;
  readonly attempts: ServiceIdentifier<AttemptCounter>;
  readonly apiKeys: ServiceIdentifier<ApiKeyStore>;
  readonly sessions: ServiceIdentifier<SessionStore>;
  /** The handle that the four above come from. */
  readonly persistence: ServiceIdentifier<Persistence>;
  readonly staging: ServiceIdentifier<Staging>;
  readonly archives: ServiceIdentifier<ArchiveStorage>;
  readonly inspector: ServiceIdentifier<ArchiveInspector>;
  readonly passwords: ServiceIdentifier<PasswordHasher>;
  readonly grants: ServiceIdentifier<GrantSigner>;
  readonly clock: ServiceIdentifier<Clock>;
  readonly ids: ServiceIdentifier<Ids>;
  readonly apiKeySecrets: ServiceIdentifier<ApiKeySecrets>;
  readonly sessionSecrets: ServiceIdentifier<SessionSecrets>;
  readonly useCases: ServiceIdentifier<UseCases>;
  readonly manageKeys: ServiceIdentifier<ManageKeys>;
  readonly manageSessions: ServiceIdentifier<ManageSessions>;
}
