import type { AccountId } from '@pinfold/core';
import { Semaphore } from '@pinfold/core/adapter';
import { loopTurns } from '@pinfold/http/internal';
import type { Answer } from './answer.ts';

/** Pages of one account that are made at the same time. */
const MAX_CONCURRENT = 2;

/** The fewest characters that one turn of the event loop writes: about half a millisecond of work. */
const MIN_PIECE = 8_192;

/** Makes at most two costly pages at a time for each account, so that one account cannot delay others. */
export class PageTurns {
  readonly #gates: Map<AccountId, Semaphore> = new Map();

  /** Makes and writes a page in its turn. Throws the signal's reason if aborted. */
  async run(account: AccountId, signal: AbortSignal, make: () => Promise<Answer>): Promise<Answer> {
    const gate = this.#gates.get(account) ?? new Semaphore({ places: MAX_CONCURRENT });
    this.#gates.set(account, gate);
    const makeInTurn = async () => {
      await loopTurns.wait();
      return await writePage(await make(), signal);
    };
    try {
      return await gate.run(undefined, makeInTurn, signal);
    } finally {
      if (gate.running + gate.waiting === 0) this.#gates.delete(account);
    }
  }
}

/** Writes a page in pieces, one per turn of the event loop, since long names take long to escape. */
export async function writePage(answer: Answer, signal: AbortSignal): Promise<Answer> {
  if (answer.kind !== 'page' || answer.body !== undefined) return answer;
  const pieces: Buffer[] = [];
  for (const piece of answer.html.pieces(MIN_PIECE)) {
    pieces.push(Buffer.from(piece));
    if (piece.length < MIN_PIECE) break;
    await loopTurns.wait();
    signal.throwIfAborted();
  }
  return { ...answer, body: Buffer.concat(pieces) };
}
