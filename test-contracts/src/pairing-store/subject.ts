import type {
  AccountStore,
  ApiKeyStore,
  HistoryStore,
  PairingStore,
  ServiceMode,
  SessionStore,
} from '@pinfold/core';
import type { ClauseTable, StoreSubject } from '../contract.ts';

/** What a {@link PairingStore} is tested with: the stores of the same database, which hold what it writes and asks for. */
export interface PairingStores {
  readonly pairings: PairingStore;
  readonly apiKeys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly accounts: AccountStore;
  readonly mode: ServiceMode;
  readonly history: HistoryStore;
}

/** One promise of {@link PairingStore}. */
export type PairingClauses = ClauseTable<PairingStores, StoreSubject<PairingStores>>;
