import { Fault, isFault } from '../fault.ts';

/** The place of a failed step: names of tables and columns, never a value. */
export interface StepPlace {
  /** The name of the program or query. */
  readonly program: string;
  /** The kind of step, such as `insert`. */
  readonly step: string;
  readonly table: string;
  /** The columns of its key or of its conditions. */
  readonly columns: readonly string[];
}

/**
 * The error of a failed step. Its message and members name the place, its `cause` is the error of the database, and its
 * stack has the line of the program, unless the engine delayed the step.
 *
 * @example
 * import { StepError } from '@pinfold/core/records';
 *
 * const place = { program: 'books.add', step: 'insert', table: 'books', columns: ['isbn'] };
 * new StepError(place, new Error('the disk is full')).message; // 'books.add: insert in books (isbn) failed'
 */
export class StepError extends Error implements StepPlace {
  declare readonly program: string;
  declare readonly step: string;
  declare readonly table: string;
  declare readonly columns: readonly string[];

  constructor({ program, step, table, columns }: StepPlace, cause: unknown) {
    super(`${program}: ${step} in ${table} (${columns.join(', ')}) failed`, { cause });
    Object.assign(this, { name: 'StepError', program, step, table, columns });
  }
}

/**
 * Unwraps a `StepError` before an engine rejects with it: a fault remains a fault, with the `StepError` as its cause, and the
 * reason of an aborted signal is returned as it is.
 */
export function rejectionOf(error: unknown, signal?: AbortSignal): unknown {
  if (!(error instanceof StepError)) return error;
  const { cause } = error;
  if (signal?.aborted === true && cause === signal.reason) return cause;
  if (!isFault(cause)) return error;
  return new Fault(cause.code, cause.message, { cause: new StepError(error, cause.cause) });
}
