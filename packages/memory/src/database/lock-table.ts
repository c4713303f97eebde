import type { Lock } from '@pinfold/core/records';

interface Waiting {
  readonly isShared: boolean;
  readonly start: () => void;
}

/** Who holds a lock, and who waits for it in order of arrival. */
interface Held {
  shared: number;
  isExclusive: boolean;
  readonly waiting: Waiting[];
}

/** The locks of the programs that run over one set of tables. */
export class LockTable {
  readonly #locks: Map<string, Held> = new Map();

  /** Takes locks in the given order, one after the other; resolves with what releases them. */
  async acquire(locks: readonly Lock[]): Promise<() => void> {
    for (const lock of locks) await this.#take(lock);
    return () => {
      for (const lock of locks) this.#release(lock);
    };
  }

  #take({ name, isShared }: Lock): Promise<void> | undefined {
    const held = this.#locks.get(name) ?? { shared: 0, isExclusive: false, waiting: [] };
    this.#locks.set(name, held);
    if (held.waiting.length === 0 && isFree(held, isShared)) {
      hold(held, isShared);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    held.waiting.push({ isShared, start: resolve });
    return promise;
  }

  #release({ name, isShared }: Lock): void {
    const held = this.#locks.get(name);
    if (held === undefined) return;
    if (isShared) held.shared -= 1;
    else held.isExclusive = false;
    for (
      let [next] = held.waiting;
      next !== undefined && isFree(held, next.isShared);
      [next] = held.waiting
    ) {
      held.waiting.shift();
      hold(held, next.isShared);
      next.start();
    }
    if (isFree(held, false)) this.#locks.delete(name);
  }
}

function isFree({ shared, isExclusive }: Held, isShared: boolean): boolean {
  return !isExclusive && (isShared || shared === 0);
}

function hold(held: Held, isShared: boolean): void {
  if (isShared) held.shared += 1;
  else held.isExclusive = true;
}
