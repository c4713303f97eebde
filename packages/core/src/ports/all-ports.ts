import type { Database } from '../records/database.ts';
import type { AccountStore } from './account-store.ts';
import type { ApiKeySecrets } from './api-key-secrets.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { ArchiveInspector } from './archive-inspector.ts';
import type { ArchiveStorage } from './archive-storage.ts';
import type { AttemptCounter } from './attempt-counter.ts';
import type { Clock, DatabaseClock, Machine } from './clock.ts';
import type { ErasureStore } from './erasure-store.ts';
import type { GrantSigner } from './grant-signer.ts';
import type { HistoryStore } from './history-store.ts';
import type { Ids } from './ids.ts';
import type { Import } from './import.ts';
import type { NameStore } from './name-store.ts';
import type { PairingStore } from './pairing-store.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { RoleStore } from './role-store.ts';
import type { ServiceMode } from './service-mode.ts';
import type { SessionSecrets } from './session-secrets.ts';
import type { SessionStore } from './session-store.ts';
import type { Snapshot } from './snapshot.ts';
import type { Staging } from './staging.ts';
import type { TakedownStore } from './takedown-store.ts';
import type { ViewStore } from './view-store.ts';

/**
 * The stores of one database.
 *
 * Faults of each: `store_unavailable` when it cannot be reached (the outcome of a write is then unknown), `store_corrupt`.
 */
export interface Stores {
  readonly roles: RoleStore;
  readonly accounts: AccountStore;
  readonly erasures: ErasureStore;
  readonly apiKeys: ApiKeyStore;
  readonly attempts: AttemptCounter;
  readonly sessions: SessionStore;
  readonly history: HistoryStore;
  readonly mode: ServiceMode;
  readonly takedowns: TakedownStore;
  readonly views: ViewStore;
  readonly snapshot: Snapshot;
  readonly imports: Import;
  readonly pairings: PairingStore;
  readonly names: NameStore;
}

/** The name of a store. */
export type StoreName = keyof Stores;

/** The names of all stores. A missing one does not compile. */
export const STORES = Object.keys({
  roles: true,
  accounts: true,
  erasures: true,
  apiKeys: true,
  attempts: true,
  sessions: true,
  history: true,
  mode: true,
  takedowns: true,
  views: true,
  snapshot: true,
  imports: true,
  pairings: true,
  names: true,
} satisfies Record<StoreName, true>) as readonly StoreName[];

/** All stores of one database, and the methods to open and close it. */
export interface Persistence extends Stores, Pick<Database, 'migrate' | 'check' | 'close'> {}

/** Every port by its name. */
export interface AllPorts extends Stores {
  readonly staging: Staging;
  readonly archives: ArchiveStorage;
  readonly inspector: ArchiveInspector;
  readonly passwords: PasswordHasher;
  readonly grants: GrantSigner;
  readonly apiKeySecrets: ApiKeySecrets;
  readonly sessionSecrets: SessionSecrets;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly persistence: DatabaseClock;
  readonly ids: Ids;
}
