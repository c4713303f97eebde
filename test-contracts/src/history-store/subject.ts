import type { AccountStore, ApiKeyStore, HistoryStore, RoleStore, SessionStore } from '@pinfold/core';
import type { ClauseTable } from '../contract.ts';

/** What a {@link HistoryStore} is tested with: the stores of the same database, which keep the events. */
export interface HistoryStores {
  readonly history: HistoryStore;
  readonly accounts: AccountStore;
  readonly roles: RoleStore;
  readonly apiKeys: ApiKeyStore;
  readonly sessions: SessionStore;
}

/** One promise of {@link HistoryStore}. */
export type HistoryClauses = ClauseTable<HistoryStores>;
