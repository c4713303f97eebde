/** Steps of each kind that one turn of the event loop begins, over all connections. */
const MAX_A_TURN = 1;

/** A cheap step is a request that waited behind another on its connection, or a piece of a small body; a costly one a piece of a large body. */
export type StepKind = 'cheap' | 'costly';

const KINDS: readonly StepKind[] = ['cheap', 'costly'];

/** How long clients that connect may keep every costly step from beginning, in milliseconds. */
const MAX_REST = 10;

/**
 * Bounds how many steps one turn of the event loop begins. Node accepts one connection a turn, so a client that connects
 * waits for as many turns as there are connections before its own. Hundreds of clients that send much and read nothing
 * would make each of these turns long; while clients connect, turns begin no step. Each kind has a queue of its own: a
 * download of many pieces does not stand behind every connection that sends requests ahead.
 */
export class Turns {
  readonly #max: number;
  /** The next first. */
  readonly #waiting: Readonly<Record<StepKind, (() => void)[]>> = { cheap: [], costly: [] };
  readonly #begun: Record<StepKind, number> = { cheap: 0, costly: 0 };
  #lastBegun = 0;
  #hasNewClient = false;
  #next: NodeJS.Immediate | undefined;

  constructor(most: number = MAX_A_TURN) {
    this.#max = most;
  }

  /** Whether costly steps wait. */
  get isBusy(): boolean {
    return this.#waiting.costly.length > 0;
  }

  /** A client has connected; more may have at the same moment. */
  clientConnected(): void {
    this.#hasNewClient = true;
    this.#next ??= setImmediate(this.#beginNext);
  }

  /** Begins a step in this turn; false when it has to {@link wait}. */
  takeNow(kind: StepKind = 'costly'): boolean {
    if (this.#hasNewClient || this.#begun[kind] >= this.#max || this.#waiting[kind].length > 0) return false;
    this.#count(kind, 1);
    return true;
  }

  /** Resolves in the turn in which a step may begin, in the order of calls of its kind. */
  wait(kind: StepKind = 'costly'): Promise<void> {
    return new Promise((begin) => this.queue(begin, kind));
  }

  /** Calls `begin` in a later turn, in the order of calls of its kind. */
  queue(begin: () => void, kind: StepKind = 'costly'): void {
    this.#waiting[kind].push(begin);
    this.#next ??= setImmediate(this.#beginNext);
  }

  readonly #beginNext = (): void => {
    const rests = this.#hasNewClient && performance.now() - this.#lastBegun < MAX_REST;
    this.#hasNewClient = false;
    this.#next = undefined;
    for (const kind of KINDS) this.#begun[kind] = 0;
    if (rests) {
      this.#next = setImmediate(this.#beginNext);
      return;
    }
    for (const kind of KINDS) {
      const next = this.#waiting[kind].splice(0, this.#max);
      if (next.length > 0) this.#count(kind, next.length);
      for (const begin of next) begin();
    }
  };

  #count(kind: StepKind, steps: number): void {
    this.#begun[kind] += steps;
    this.#lastBegun = performance.now();
    this.#next ??= setImmediate(this.#beginNext);
  }
}

/** One of the whole process: its event loop is what all clients share. */
export const loopTurns: Turns = new Turns();
