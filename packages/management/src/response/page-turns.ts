import type { AccountId } from '@pinfold/core';
import { Semaphore } from '@pinfold/core/adapter';
import { loopTurns } from '@pinfold/http/internal';
import type { Answer } from './answer.ts';

/** Pages of one account that are made at the same time. */
const PLACES = 2;

/** Characters of a page that are written in one turn of the event loop, at least: about half a millisecond of work. */
const PIECE = 8_192;

/** Makes costly pages two at a time for each account, so that an account that asks for many waits for itself. */
export class PageTurns {
  readonly #gates: Map<AccountId, Semaphore> = new Map();

  /** Makes and writes a page when it is its turn; ends with the signal's reason. */
  async run(account: AccountId, signal: AbortSignal, make: () => Promise<Answer>): Promise<Answer> {
    const gate = this.#gates.get(account) ?? new Semaphore({ places: PLACES });
    this.#gates.set(account, gate);
    const makeInTurn = async () => {
      await loopTurns.wait();
      return await written(await make(), signal);
    };
    try {
      return await gate.run(undefined, makeInTurn, signal);
    } finally {
      if (gate.running + gate.waiting === 0) this.#gates.delete(account);
    }
  }
}

/** Writes a page in pieces, each in a turn of the event loop: long names take long to escape. Most pages are one. */
export async function written(answer: Answer, signal: AbortSignal): Promise<Answer> {
  if (answer.kind !== 'page' || answer.body !== undefined) return answer;
  const pieces: Buffer[] = [];
  for (const piece of answer.html.pieces(PIECE)) {
    pieces.push(Buffer.from(piece));
    if (piece.length < PIECE) break;
    await loopTurns.wait();
    signal.throwIfAborted();
  }
  return { ...answer, body: Buffer.concat(pieces) };
}
