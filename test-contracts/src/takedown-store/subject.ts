import type { HistoryStore, RoleStore, TakedownStore } from '@pinfold/core';
import type { ClauseTable } from '../contract.ts';

/** What a {@link TakedownStore} is tested with: the stores of the same database, which it stops roles in. */
export interface TakedownStores {
  readonly takedowns: TakedownStore;
  readonly roles: RoleStore;
  readonly history: HistoryStore;
}

/** One promise of {@link TakedownStore}. */
export type TakedownClauses = ClauseTable<TakedownStores>;
