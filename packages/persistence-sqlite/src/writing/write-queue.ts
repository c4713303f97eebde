import { setTimeout } from 'node:timers/promises';
import type { ReopeningFile } from '../engine/reopening-file.ts';
import {
  asFault,
  isBusy,
  isFull,
  MAX_TOTAL_WAIT,
  MAX_WAIT,
  spoilsConnection,
  unavailable,
} from '../engine/sqlite-errors.ts';
import type { SqliteFile } from '../engine/sqlite-file.ts';

/** Maximum programs that are committed together, so that the first one does not wait long for the others. */
const MAX_GROUP = 64;

/**
 * Clients that were answered together send their next changes at about the same time. So the queue waits until the next
 * group is as large as the last one, in a few short waits. Otherwise half of the clients would wait for another flush.
 */
const WAIT_MILLISECONDS = 0.1;
const MAX_WAITS = 5;

/** A program with its arguments. It may run more than once; only the last run counts. */
export interface Work {
  /** Whether it may use the reserve on a full disk. */
  readonly usesReserve: boolean;
  readonly run: (file: SqliteFile) => unknown;
}

/** The outcome of a program. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

type Commit = (works: readonly Work[]) => readonly (Outcome | undefined)[];

interface Waiting {
  readonly work: Work;
  readonly arrivedAt: number;
  readonly answer: (outcome: Outcome) => void;
}

/** A queue of programs. Those that arrive during a commit are committed together. */
export class WriteQueue {
  readonly #commit: Commit;
  readonly #exchange: () => void;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  readonly #neverNotified: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(4));

  /** `exchange` sends the replies, and adds the programs that have arrived. */
  constructor(commit: Commit, exchange: () => void, now = (): number => performance.now()) {
    this.#commit = commit;
    this.#exchange = exchange;
    this.#now = now;
  }

  add(work: Work, answer: (outcome: Outcome) => void): void {
    this.#waiting.push({ work, answer, arrivedAt: this.#now() });
  }

  /** Runs programs until none waits. Waits for locks without blocking the thread. */
  async run(): Promise<void> {
    let wait = 1;
    for (this.#exchange(); this.#waiting.length > 0; this.#exchange()) {
      const size = Math.min(this.#waiting.length, MAX_GROUP);
      if (this.#runGroup(size)) {
        wait = 1;
        if (size > 1) this.#waitForGroup(size);
      } else {
        this.#rejectLate();
        await setTimeout(wait);
        wait = Math.min(wait * 2, MAX_WAIT);
      }
    }
  }

  /** Commits the first programs; returns false if they must wait for a lock. */
  #runGroup(size: number): boolean {
    const group = this.#waiting.splice(0, size);
    const outcomes = this.#commit(group.map(({ work }) => work));
    const locked = group.filter(({ answer }, n) => {
      const outcome = outcomes[n];
      if (outcome !== undefined) answer(outcome);
      return outcome === undefined;
    });
    this.#waiting.unshift(...locked);
    return locked.length === 0;
  }

  /** Rejects all programs that have waited too long, together: else each would delay those after it. */
  #rejectLate(): void {
    const oldest = this.#now() - MAX_TOTAL_WAIT;
    const late = this.#waiting.filter(({ arrivedAt }) => arrivedAt < oldest);
    this.#waiting = this.#waiting.filter(({ arrivedAt }) => arrivedAt >= oldest);
    const error = unavailable(new Error('another connection holds the lock of writers'));
    for (const { answer } of late) answer({ error });
  }

  /** Waits shortly for as many programs as the last group had. */
  #waitForGroup(size: number): void {
    this.#exchange();
    for (let n = 0; n < MAX_WAITS && this.#waiting.length < size; n += 1) {
      Atomics.wait(this.#neverNotified, 0, 0, WAIT_MILLISECONDS);
      this.#exchange();
    }
  }
}

/**
 * Runs programs one after the other, and commits their changes together, with one flush. A program that fails changes
 * nothing, and does not affect the others.
 *
 * @returns the outcome of each, once its changes are on the disk; undefined if another connection holds the write lock, so
 * that nothing has changed.
 */
export function commitTogether(
  file: ReopeningFile,
  works: readonly Work[],
): readonly (Outcome | undefined)[] {
  if (works.length === 1) return works.map((work) => runAlone(file, work));
  let haveRun = false;
  try {
    const outcomes = file.attempt((opened) =>
      opened.transaction('BEGIN IMMEDIATE', () => {
        const ended = works.map((work) => runInSavepoint(opened, work));
        haveRun = true;
        return ended;
      }),
    );
    if (works.some(({ usesReserve }) => usesReserve)) file.refillReserve();
    return outcomes;
  } catch (error) {
    if (isBusy(error)) return works.map(() => undefined);
    // Nothing was committed. Runs each alone: one of them may be the reason, or may use the reserve.
    if (!haveRun || isFull(error)) return works.map((work) => runAlone(file, work));
    const outcome = { error: asFault(error) };
    return works.map(() => outcome);
  }
}

function runAlone(file: ReopeningFile, { usesReserve, run }: Work): Outcome | undefined {
  try {
    return { result: file.change(run, usesReserve) };
  } catch (error) {
    return isBusy(error) ? undefined : { error: asFault(error) };
  }
}

/** Runs a program in a savepoint of the open transaction. Throws errors that end the whole transaction. */
function runInSavepoint(file: SqliteFile, { run }: Work): Outcome {
  const { prepare } = file;
  prepare('SAVEPOINT program').run();
  try {
    const result = run(file);
    prepare('RELEASE program').run();
    return { result };
  } catch (error) {
    if (!file.isInTransaction() || isFull(error) || spoilsConnection(error)) throw error;
    prepare('ROLLBACK TO program').run();
    prepare('RELEASE program').run();
    return { error: asFault(error) };
  }
}
