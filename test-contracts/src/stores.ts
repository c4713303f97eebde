import type { Persistence } from '@pinfold/core/adapter';
import type { ClauseTable, StoreSubject } from './contract.ts';

/** Every store of one database. */
type Stores = Omit<Persistence, 'check' | 'close' | 'migrate'>;

/** Clauses of a port that is tested together with other stores of its database. */
export type StoreClauses<Part> = ClauseTable<Part, StoreSubject<Part>>;

/** The stores that an `AccountStore` is tested with: their writes create rows of accounts, whose limits and blocks they obey. */
export type AccountStores = Pick<Stores, 'accounts' | 'apiKeys' | 'roles' | 'sessions'>;
