import type {
  AccountStore,
  ApiKeyStore,
  HistoryStore,
  NameStore,
  PairingStore,
  RoleStore,
  ServiceMode,
  SessionStore,
  TakedownStore,
  ViewStore,
} from '@pinfold/core';
import type { Import, Snapshot } from '@pinfold/core/moving';
import type { ClauseTable } from '../contract.ts';

/** What a {@link Snapshot} and an {@link Import} are tested with: the stores of the same database. */
export interface MovingStores {
  readonly snapshot: Snapshot;
  readonly imports: Import;
  readonly accounts: AccountStore;
  readonly apiKeys: ApiKeyStore;
  readonly roles: RoleStore;
  readonly sessions: SessionStore;
  readonly history: HistoryStore;
  readonly takedowns: TakedownStore;
  readonly views: ViewStore;
  readonly pairings: PairingStore;
  readonly names: NameStore;
  readonly mode: ServiceMode;
}

/** One promise of {@link Snapshot} or {@link Import}. */
export type MovingClauses = ClauseTable<MovingStores>;
