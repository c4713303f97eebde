import type {
  AccountStore,
  ApiKeyStore,
  HistoryStore,
  NameStore,
  RoleStore,
  ServiceMode,
  TakedownStore,
} from '@pinfold/core';
import type { ClauseTable, StoreSubject } from '../contract.ts';

/** The stores of one database: names show its roles, and its accounts, keys and mode bind them. */
export interface NameStores {
  readonly names: NameStore;
  readonly roles: RoleStore;
  readonly accounts: AccountStore;
  readonly apiKeys: ApiKeyStore;
  readonly history: HistoryStore;
  readonly mode: ServiceMode;
  readonly takedowns: TakedownStore;
}

export type NameClauses = ClauseTable<NameStores, StoreSubject<NameStores>>;
