import type { Instant } from '../domain/instant.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { HistoryStore } from '../ports/history-store.ts';
import type { Import } from '../ports/import.ts';
import type { NameStore } from '../ports/name-store.ts';
import type { PairingStore } from '../ports/pairing-store.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { ServiceMode } from '../ports/service-mode.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { Snapshot } from '../ports/snapshot.ts';
import type { TakedownStore } from '../ports/takedown-store.ts';
import type { ViewStore } from '../ports/view-store.ts';
import type { MigrationScope } from './migrations.ts';

/** Every store of one database, and what its life needs. */
export interface Persistence {
  readonly roles: RoleStore;
  readonly accounts: AccountStore;
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
  /**
   * Brings the schema up to this release. Call it once before anything else; any number of nodes may at once.
   *
   * @param scope `any` when absent. With `empty`, a database that holds the schema of an older release stays as it is.
   * @throws Fault `store_unavailable` when the schema was migrated by a release that this one is too old for, or when it
   * is of an older release and the scope is `empty`.
   */
  migrate(scope?: MigrationScope): Promise<void>;
  /**
   * Resolves when the database answers and lets this release run; else rejects as any store does. It tells what the
   * database's own clock says, where it has one.
   */
  check(signal?: AbortSignal): Promise<Instant | undefined>;
  /** Closes the handle. Later calls fail with `store_unavailable`; closing again does nothing. */
  close(): Promise<void>;
}

/** A member of {@link Persistence} that is a store. */
export type StoreName = Exclude<keyof Persistence, 'migrate' | 'check' | 'close'>;

/** Every store of a persistence: this does not compile when one is missing. */
export const STORES = Object.keys({
  roles: true,
  accounts: true,
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
