import type { Persistence } from '@pinfold/core/adapter';

/** Every store of one database. */
export type Stores = Omit<Persistence, 'check' | 'close' | 'migrate'>;

/** What a `HistoryStore` is tested with: the stores whose events it keeps. */
export type HistoryStores = Pick<Stores, 'history' | 'accounts' | 'roles' | 'apiKeys' | 'sessions'>;

/** What a `NameStore` is tested with: names show roles, and accounts, keys and mode bind them. */
export type NameStores = Pick<
  Stores,
  'names' | 'roles' | 'accounts' | 'apiKeys' | 'history' | 'mode' | 'takedowns'
>;

/** What a `PairingStore` is tested with: the stores that hold what it writes and asks for. */
export type PairingStores = Pick<
  Stores,
  'pairings' | 'apiKeys' | 'sessions' | 'accounts' | 'mode' | 'history'
>;

/** What a `TakedownStore` is tested with: the stores in which it stops roles. */
export type TakedownStores = Pick<Stores, 'takedowns' | 'roles' | 'history'>;

/** What a `ServiceMode` is tested with: the stores that it binds. */
export type ModeStores = Pick<
  Stores,
  'mode' | 'roles' | 'accounts' | 'apiKeys' | 'attempts' | 'sessions' | 'history' | 'views'
>;

/** What a `Snapshot` and an `Import` are tested with. */
export type MovingStores = Omit<Stores, 'attempts'>;
