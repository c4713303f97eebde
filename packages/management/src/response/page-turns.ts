import { setImmediate } from 'node:timers/promises';
import type { AccountId } from '@pinfold/core';
import { Gate } from '@pinfold/core/adapter';

/** Pages of one account that are made at the same time. */
const PLACES = 2;

/**
 * Makes the pages that cost more than a list two at a time for each account: an account that asks for many of them
 * waits for itself.
 */
export class PageTurns {
  readonly #gates: Map<AccountId, Gate> = new Map();

  /** Makes a page when it is its turn; ends the wait with the signal's reason. */
  async run<Page>(account: AccountId, signal: AbortSignal, make: () => Promise<Page>): Promise<Page> {
    const gate = this.#gates.get(account) ?? new Gate({ places: PLACES });
    this.#gates.set(account, gate);
    try {
      return await gate.run(undefined, () => apart(make), signal);
    } finally {
      if (gate.running + gate.waiting === 0) this.#gates.delete(account);
    }
  }
}

/** Lets the event loop go round before the place is free: else pages out of memory would follow one another in one turn. */
async function apart<Page>(make: () => Promise<Page>): Promise<Page> {
  try {
    return await make();
  } finally {
    await setImmediate();
  }
}
