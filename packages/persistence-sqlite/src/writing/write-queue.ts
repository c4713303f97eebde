import { setTimeout } from 'node:timers/promises';
import type { LastingFile } from '../engine/lasting-file.ts';
import {
  asFault,
  isBusy,
  isFull,
  MAX_WAIT,
  PATIENCE,
  spoilsConnection,
  unavailable,
} from '../engine/sqlite-errors.ts';
import type { SqliteFile } from '../engine/sqlite-file.ts';

/** The most programs that are committed together: what was written first does not wait longer for the others. */
const MAX_TOGETHER = 64;

/**
 * Those who were answered together ask for their next changes soon, though not all at once. So the next group is waited for
 * until it is as large as the last one, a few moments (in milliseconds) at the most. Otherwise it would have half of them,
 * and the others would wait for a flush of their own.
 */
const MOMENT = 0.1;
const MAX_MOMENTS = 5;

/** A program with its arguments. It may run more than once: only its last run counts. */
export interface Work {
  /** Whether it may use the ballast on a full disk. */
  readonly usesReserve: boolean;
  readonly run: (file: SqliteFile) => unknown;
}

/** How a program ended. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

type Commit = (works: readonly Work[]) => readonly (Outcome | undefined)[];

interface Waiting {
  readonly work: Work;
  /** When it came. */
  readonly since: number;
  readonly answer: (outcome: Outcome) => void;
}

/** Programs that wait for their commit. What comes while one runs is committed together. */
export class WriteQueue {
  readonly #commit: Commit;
  readonly #exchange: () => void;
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  readonly #never: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(4));

  /** `exchange` sends the answers that were given, and adds what has arrived. */
  constructor(commit: Commit, exchange: () => void, now = (): number => performance.now()) {
    this.#commit = commit;
    this.#exchange = exchange;
    this.#now = now;
  }

  add(work: Work, answer: (outcome: Outcome) => void): void {
    this.#waiting.push({ work, answer, since: this.#now() });
  }

  /** Runs what waits, until nothing does. Waits for locks without blocking the thread. */
  async run(): Promise<void> {
    let wait = 1;
    for (this.#exchange(); this.#waiting.length > 0; this.#exchange()) {
      const size = Math.min(this.#waiting.length, MAX_TOGETHER);
      if (this.#runGroup(size)) {
        wait = 1;
        if (size > 1) this.#gather(size);
      } else {
        this.#refuseLate();
        await setTimeout(wait);
        wait = Math.min(wait * 2, MAX_WAIT);
      }
    }
  }

  /** Returns whether all of them were run. */
  #runGroup(size: number): boolean {
    const group = this.#waiting.splice(0, size);
    const outcomes = this.#commit(group.map(({ work }) => work));
    const left = group.filter(({ answer }, n) => {
      const outcome = outcomes[n];
      if (outcome !== undefined) answer(outcome);
      return outcome === undefined;
    });
    this.#waiting.unshift(...left);
    return left.length === 0;
  }

  /** All at once, whose time is up, since others would each hold up those behind them. */
  #refuseLate(): void {
    const latest = this.#now() - PATIENCE;
    const late = this.#waiting.filter(({ since }) => since < latest);
    this.#waiting = this.#waiting.filter(({ since }) => since >= latest);
    const error = unavailable(new Error('another connection holds the lock of writers'));
    for (const { answer } of late) answer({ error });
  }

  /** Waits a little for as many as were answered. */
  #gather(size: number): void {
    this.#exchange();
    for (let left = MAX_MOMENTS; left > 0 && this.#waiting.length < size; left -= 1) {
      Atomics.wait(this.#never, 0, 0, MOMENT);
      this.#exchange();
    }
  }
}

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
