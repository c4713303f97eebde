import type { LastingFile } from '../engine/lasting-file.ts';
import { asFault, isBusy, isFull, spoilsConnection } from '../engine/sqlite-errors.ts';
import type { Prepare, SqliteFile } from '../engine/sqlite-file.ts';

/** A program with its arguments. It may run more than once: only its last run counts. */
export interface Work {
  /** Whether it may use the ballast on a full disk. */
  readonly usesReserve: boolean;
  readonly run: (prepare: Prepare) => unknown;
}

/** How a program ended. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * Runs programs one after the other, and commits what they write together: one flush for all of them. One that fails
 * leaves nothing of what it wrote, and the others go on.
 *
 * @returns how each ended, once its changes are on the disk; undefined where nothing was done because another connection
 * holds the lock of writers.
 */
export function commitTogether(file: LastingFile, works: readonly Work[]): readonly (Outcome | undefined)[] {
  if (works.length === 1) return works.map((work) => alone(file, work));
  let haveRun = false;
  try {
    const outcomes = file.attempt((opened) =>
      opened.transaction('BEGIN IMMEDIATE', () => {
        const ended = works.map((work) => apart(opened, work));
        haveRun = true;
        return ended;
      }),
    );
    if (works.some(({ usesReserve }) => usesReserve)) file.keepReserve();
    return outcomes;
  } catch (error) {
    if (isBusy(error)) return works.map(() => undefined);
    // Nothing was kept, and one of them may be the reason, or have the reserve.
    if (!haveRun || isFull(error)) return works.map((work) => alone(file, work));
    const outcome = { error: asFault(error) };
    return works.map(() => outcome);
  }
}

function alone(file: LastingFile, { usesReserve, run }: Work): Outcome | undefined {
  try {
    return { result: file.change(run, usesReserve) };
  } catch (error) {
    return isBusy(error) ? undefined : { error: asFault(error) };
  }
}

/** Runs a program in a savepoint of the open transaction. Throws what the whole transaction does not survive. */
function apart(file: SqliteFile, { run }: Work): Outcome {
  const { prepare } = file;
  prepare('SAVEPOINT program').run();
  try {
    const result = run(prepare);
    prepare('RELEASE program').run();
    return { result };
  } catch (error) {
    if (!file.isInTransaction() || isFull(error) || spoilsConnection(error)) throw error;
    prepare('ROLLBACK TO program').run();
    prepare('RELEASE program').run();
    return { error: asFault(error) };
  }
}
