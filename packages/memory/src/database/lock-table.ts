import type { Lock } from '@pinfold/core/records';

/** Promises of the ends of the programs that hold a lock or wait for it. */
interface Held {
  /** The last one that wants it exclusively. */
  exclusive: Promise<void> | undefined;
  /** Those that came after that one. */
  shared: Set<Promise<void>>;
}

/** The locks of the programs that run over one set of tables, which get a lock in order of arrival. */
export class LockTable {
  readonly #locks: Map<string, Held> = new Map();

  /** Takes locks in the given order, one after the other; resolves with what releases them. */
  async acquire(locks: readonly Lock[]): Promise<() => void> {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    for (const { name, isShared } of locks) {
      const held = this.#locks.get(name) ?? { exclusive: undefined, shared: new Set() };
      this.#locks.set(name, held);
      const before = isShared ? [held.exclusive] : [held.exclusive, ...held.shared];
      if (isShared) held.shared.add(end);
      else [held.exclusive, held.shared] = [end, new Set()];
      await Promise.all(before);
    }
    return () => {
      for (const { name } of locks) this.#release(name, end);
      resolve();
    };
  }

  #release(name: string, end: Promise<void>): void {
    const held = this.#locks.get(name);
    if (held?.exclusive === end) held.exclusive = undefined;
    held?.shared.delete(end);
    if (held?.exclusive === undefined && held?.shared.size === 0) this.#locks.delete(name);
  }
}
