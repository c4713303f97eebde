/** `cheap`: a pipelined request, or a piece of a small body; `costly`: a piece of a large body, or a page. */
type StepKind = 'cheap' | 'costly';

const KINDS: readonly StepKind[] = ['cheap', 'costly'];

/** How long new connections may delay all steps, in milliseconds. */
const MAX_PAUSE = 10;

/**
 * Lets each turn of the event loop begin one step of each kind, on all connections together. Node accepts one
 * connection per turn, so a new client waits for as many turns as there are connections before its own, and hundreds of
 * busy clients would make each of these turns long. So turns begin no step while clients connect. Each kind has its own
 * queue, so that a large download does not wait for all pipelined requests.
 */
export class Turns {
  readonly #waiting: Readonly<Record<StepKind, (() => void)[]>> = { cheap: [], costly: [] };
  readonly #begun: Record<StepKind, boolean> = { cheap: false, costly: false };
  #lastBegun = 0;
  #hasNewClient = false;
  #next: NodeJS.Immediate | undefined;

  /** Whether costly steps wait. */
  get isBusy(): boolean {
    return this.#waiting.costly.length > 0;
  }

  /** Call it when a client has connected; others may be about to. */
  clientConnected(): void {
    this.#hasNewClient = true;
    this.#next ??= setImmediate(this.#beginNext);
  }

  /** Begins a step in this turn; false when it has to {@link wait}. */
  takeNow(kind: StepKind = 'costly'): boolean {
    if (this.#hasNewClient || this.#begun[kind] || this.#waiting[kind].length > 0) return false;
    this.#note(kind);
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
    const isPaused = this.#hasNewClient && performance.now() - this.#lastBegun < MAX_PAUSE;
    this.#hasNewClient = false;
    this.#next = undefined;
    for (const kind of KINDS) this.#begun[kind] = false;
    if (isPaused) {
      this.#next = setImmediate(this.#beginNext);
      return;
    }
    for (const kind of KINDS) {
      const begin = this.#waiting[kind].shift();
      if (begin === undefined) continue;
      this.#note(kind);
      begin();
    }
  };

  #note(kind: StepKind): void {
    this.#begun[kind] = true;
    this.#lastBegun = performance.now();
    this.#next ??= setImmediate(this.#beginNext);
  }
}

/** The turns of the process, whose event loop all clients share. */
export const loopTurns: Turns = new Turns();
