import { setTimeout } from 'node:timers/promises';
import { MAX_WAIT, PATIENCE, unavailable } from '../engine/sqlite-errors.ts';
import type { Outcome, Work } from './commit-together.ts';

/** The most programs that are committed together: what was written first does not wait longer for the others. */
const MAX_TOGETHER = 64;

/**
 * Those who were answered together ask for their next changes soon, though not all at once. So the next group is waited for
 * until it is as large as the last one, a few moments (in milliseconds) at the most. Otherwise it would have half of them,
 * and the others would wait for a flush of their own.
 */
const MOMENT = 0.1;
const MAX_MOMENTS = 5;

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
