import type {
  AccountStore,
  ApiKeyStore,
  AttemptCounter,
  HistoryStore,
  RoleStore,
  ServiceMode,
  SessionStore,
  ViewStore,
} from '@pinfold/core';
import type { ClauseTable } from '../contract.ts';

/** The mode with the stores of the same database, which it binds. */
export interface ModeStores {
  readonly mode: ServiceMode;
  readonly roles: RoleStore;
  readonly accounts: AccountStore;
  readonly apiKeys: ApiKeyStore;
  readonly attempts: AttemptCounter;
  readonly sessions: SessionStore;
  readonly history: HistoryStore;
  readonly views: ViewStore;
}

export type ServiceModeClauses = ClauseTable<ModeStores>;
