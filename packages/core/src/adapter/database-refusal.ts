import { type Fault, isFault } from '../fault.ts';

/** A database answers, but refuses new connections, or changes, as if it is read-only or its disk is full. */
export interface DatabaseRefusal {
  readonly refused: 'connections' | 'changes';
  /** Whether it has accepted one since. */
  isOver(): boolean;
}

/** A global symbol, because several copies of this package may be installed. */
const REFUSAL: unique symbol = Symbol.for('@pinfold/core/database-refusal');

/** Marks the fault of a call that failed because of a refusal. */
export function markRefusal(fault: Fault, refusal: DatabaseRefusal): Fault {
  return Object.defineProperty(fault, REFUSAL, { value: refusal });
}

/** Returns what the database refused; `undefined` for any other error. */
export function refusalOf(error: unknown): DatabaseRefusal | undefined {
  return isFault(error) ? (error as { readonly [REFUSAL]?: DatabaseRefusal })[REFUSAL] : undefined;
}
