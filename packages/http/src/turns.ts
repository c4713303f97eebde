/** Costly steps that one turn of the event loop begins, over all connections. */
const MOST_A_TURN = 1;

/** How long clients that connect may keep every costly step from beginning, in milliseconds. */
const LONGEST_REST = 10;

/**
 * Bounds how many costly steps one turn of the event loop begins: a request that waited behind another on its
 * connection, a piece of a large body. Node accepts one connection a turn, so a client that connects waits for as many
 * turns as there are connections before its own. Hundreds of clients that send much and read nothing would make each of
 * these turns long; while clients connect, turns begin no costly step.
 */
export class Turns {
  readonly #most: number;
  /** The next first. */
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #lastBegun = 0;
  #hasNewClient = false;
  #next: NodeJS.Immediate | undefined;

  constructor(most: number = MOST_A_TURN) {
    this.#most = most;
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** A client has connected; more may have at the same moment. */
  clientConnected(): void {
    this.#hasNewClient = true;
    this.#next ??= setImmediate(this.#beginNext);
  }

  /** Begins a step in this turn; false when it has to {@link wait}. */
  takeNow(): boolean {
    if (this.#hasNewClient || this.#begun >= this.#most || this.isBusy) return false;
    this.#count(1);
    return true;
  }

  /** Resolves in the turn in which the step may begin, in the order of calls. */
  wait(): Promise<void> {
    return new Promise((begin) => this.queue(begin));
  }

  /** Calls `begin` in a later turn, in the order of calls. */
  queue(begin: () => void): void {
    this.#waiting.push(begin);
    this.#next ??= setImmediate(this.#beginNext);
  }

  readonly #beginNext = (): void => {
    const rests = this.#hasNewClient && performance.now() - this.#lastBegun < LONGEST_REST;
    this.#hasNewClient = false;
    this.#begun = 0;
    this.#next = undefined;
    if (rests) {
      this.#next = setImmediate(this.#beginNext);
      return;
    }
    const next = this.#waiting.splice(0, this.#most);
    if (next.length > 0) this.#count(next.length);
    for (const begin of next) begin();
  };

  #count(steps: number): void {
    this.#begun += steps;
    this.#lastBegun = performance.now();
    this.#next ??= setImmediate(this.#beginNext);
  }
}

/** One of the whole process: its event loop is what all clients share. */
export const loopTurns: Turns = new Turns();
