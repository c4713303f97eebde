import type { AccountStore, ApiKeyStore, RoleStore, SessionStore } from '@pinfold/core';
import type { ClauseTable, Subject } from '../contract.ts';

/** The stores of one database: what the others write makes the rows of accounts, and what those say binds the others. */
export interface AccountStores {
  readonly accounts: AccountStore;
  readonly apiKeys: ApiKeyStore;
  readonly roles: RoleStore;
  readonly sessions: SessionStore;
}

export type AccountStoreSubject = Subject<AccountStores>;
export type AccountStoreClauses = ClauseTable<AccountStores>;
