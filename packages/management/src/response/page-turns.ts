import { setImmediate } from 'node:timers/promises';
import type { AccountId } from '@pinfold/core';
import { Gate } from '@pinfold/core/adapter';
import { loopTurns } from '@pinfold/http/internal';

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

/** Makes at most one page in a turn of the event loop: pages out of memory would else follow one another in one turn. */
async function apart<Page>(make: () => Promise<Page>): Promise<Page> {
  await loopTurns.wait();
  try {
    return await make();
  } finally {
    await setImmediate();
  }
}
