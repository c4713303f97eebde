import type { Persistence } from '@pinfold/core/adapter';

/** Every store of one database. */
export type Stores = Omit<Persistence, 'check' | 'close' | 'migrate'>;

/** A `HistoryStore` with the stores that write its events. */
export type HistoryStores = Pick<Stores, 'history' | 'accounts' | 'roles' | 'apiKeys' | 'sessions'>;

/** A `NameStore` with the stores of the roles that names show, and of the accounts, keys and mode that limit them. */
export type NameStores = Pick<
  Stores,
  'names' | 'roles' | 'accounts' | 'apiKeys' | 'history' | 'mode' | 'takedowns'
>;

/** A `PairingStore` with the stores that it writes to and reads. */
export type PairingStores = Pick<
  Stores,
  'pairings' | 'apiKeys' | 'sessions' | 'accounts' | 'mode' | 'history'
>;

/** A `TakedownStore` with the stores in which it stops roles. */
export type TakedownStores = Pick<Stores, 'takedowns' | 'roles' | 'history'>;

/** A `ServiceMode` with the stores that it limits. */
export type ModeStores = Pick<
  Stores,
  'mode' | 'roles' | 'accounts' | 'apiKeys' | 'attempts' | 'sessions' | 'history' | 'views'
>;

/** A `Snapshot` and an `Import` with the stores that they move. */
export type MovingStores = Omit<Stores, 'attempts'>;
