/** An older state has most likely expired: sign-ins last ten minutes. */
const MOST_STATES = 4_096;

/** Remembers the newest states with which browsers came back, each of which is good once. */
export class SpentStates {
  readonly #states: Set<string> = new Set();

  /** Returns false for a state that is remembered. */
  add(state: string): boolean {
    if (this.#states.has(state)) return false;
    const [oldest] = this.#states;
    if (oldest !== undefined && this.#states.size >= MOST_STATES) this.#states.delete(oldest);
    this.#states.add(state);
    return true;
  }

  delete(state: string): void {
    this.#states.delete(state);
  }
}
