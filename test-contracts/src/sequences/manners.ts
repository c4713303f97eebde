import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { REASONS } from '../expect-aborts.ts';

/** When a question's signal is aborted: before it is asked, so many turns of the event loop later, or once answered. */
export type Abort = 'before' | 'answered' | number;

/** How the calls of one turn are made. */
export interface Manner {
  /** When to abort a call that takes a signal. */
  readonly abort: Abort | undefined;
  readonly reason: number;
  /** Whether the caller then changes its inputs and the answer. */
  readonly spoils: boolean;
}

/** How a call may be made, mostly without anything special. */
export const manners: fc.Arbitrary<Manner> = fc.record({
  abort: fc.option(fc.constantFrom<Abort[]>('before', 'answered', 0, 1, 2, 5), { nil: undefined, freq: 2 }),
  reason: fc.nat({ max: REASONS.length - 1 }),
  spoils: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/** The outcome of a call that was aborted: its answer, unless it rejected with the reason. */
export type Heard = { readonly answer: unknown } | 'aborted';

/** Asks with a signal that is aborted at some time, or never. */
export async function heard(
  { abort, reason }: Manner,
  description: string,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<Heard> {
  const [controller, why] = [new AbortController(), REASONS[reason]];
  const { signal } = controller;
  if (abort === 'before') controller.abort(why);
  const asked = ask(signal).then(
    (answer) => ({ answer }),
    (error: unknown) => {
      if (signal.aborted) expect(error, `what aborting rejects with: ${description}`).to.equal(why);
      else throw error;
      return 'aborted' as const;
    },
  );
  if (typeof abort === 'number') {
    for (let n = 0; n < abort; n += 1) await nextTurn();
    controller.abort(why);
  }
  const came = await asked;
  expectUnheard(signal, description);
  if (abort === 'before') expect(came, `aborted before: ${description}`).to.equal('aborted');
  if (abort === 'answered') controller.abort(why);
  return came;
}

/** Fails if a listener is left on the signal of a call that has ended. */
export function expectUnheard(signal: AbortSignal, description: string): void {
  expect(
    getEventListeners(signal, 'abort'),
    `who still listens to the signal of ${description}`,
  ).to.have.lengthOf(0);
}

/** Changes every mutable part of a value, as a careless caller might do with inputs and answers. */
export function spoil(held: unknown): void {
  if (typeof held !== 'object' || held === null || Object.isFrozen(held)) return;
  if (held instanceof Uint8Array) {
    held.fill(0);
    return;
  }
  for (const [name, value] of Object.entries(held)) {
    spoil(value);
    Reflect.set(held, name, typeof value === 'number' ? 7 : typeof value === 'string' ? 'changed' : value);
  }
  if (Array.isArray(held)) held.length = 0;
}
