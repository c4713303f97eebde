import type { AccountId } from '../domain/identity.ts';
import { Fault } from '../fault.ts';
import { Gate } from '../gate.ts';

/** Lets a bounded number of publications run, and a bounded number wait, accounts in turns. */
export class Turns {
  readonly #gate: Gate<AccountId>;

  constructor(atOnce: number, queue: number) {
    this.#gate = new Gate({ places: atOnce, queue });
  }

  /**
   * Runs `work` when it is the account's turn.
   *
   * @throws Fault `publishing_overloaded` when too many wait already.
   */
  async take<Result>(account: AccountId, work: () => Promise<Result>): Promise<Result> {
    const leave = this.#gate.enterNow() ?? (await this.#gate.enter(account));
    if (leave === undefined) throw new Fault('publishing_overloaded', 'too many publications are waiting');
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
