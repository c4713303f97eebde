import type { Persistence } from '@pinfold/core/adapter';
import type { ClauseTable, StoreSubject } from './contract.ts';

/** Every store of one database. */
type Stores = Omit<Persistence, 'check' | 'close' | 'migrate'>;

/** Clauses of a port that is tested with other stores of its database. */
export type StoreClauses<Part> = ClauseTable<Part, StoreSubject<Part>>;

/** What an `AccountStore` is tested with: what other stores write makes the rows of accounts, and what those say binds the others. */
export type AccountStores = Pick<Stores, 'accounts' | 'apiKeys' | 'roles' | 'sessions'>;
