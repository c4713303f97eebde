import type { GrantSigner } from '@pinfold/core';
import type { ClauseTable, Subject } from '../contract.ts';

/** What a {@link GrantSigner} is tested with. A peer has the port's secret. */
export interface GrantSignerSubject extends Subject<GrantSigner> {
  /** Signs with a new secret, the port's being an earlier one. */
  successor(): Promise<GrantSigner>;
  /** Knows a secret of its own alone. */
  stranger(): Promise<GrantSigner>;
}

/** One promise of {@link GrantSigner}. */
export type GrantSignerClauses = ClauseTable<GrantSigner, GrantSignerSubject>;
