import type { Duration, Staging } from '@pinfold/core';
import type { ClauseTable, StoreSubject } from '../contract.ts';

/** What a {@link Staging} is tested with. A peer is the same folder opened again, as after a restart. */
export interface StagingSubject extends StoreSubject<Staging> {
  /** How many uploads lie in the folder, whole or not. */
  left(): Promise<number>;
  /** Leaves things in the folder that are no uploads: other names, names that are nearly an upload's. */
  strew(): Promise<void>;
  /** Moves on the clock that was given to the staging; it begins at `START` of the fixtures. */
  advance(length: Duration): void;
}

/** One promise of {@link Staging}. */
export type StagingClauses = ClauseTable<Staging, StagingSubject>;
