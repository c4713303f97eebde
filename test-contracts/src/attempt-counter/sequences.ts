import type { AttemptCounter } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import fc from 'fast-check';
import type { Subject } from '../contract.ts';
import type { ModelOptions } from '../role-store-model/sequences.ts';
import { checkSequences, type Sequences, stepsFor } from '../sequences/run.ts';
import {
  beBehind,
  beginAtOnce,
  count,
  type Door,
  doorOf,
  doors,
  type End,
  end,
  endAndMeasure,
  last,
  measure,
  passTo,
  purge,
  purgeAtOnce,
  tryOnce,
} from './door.ts';
import { ERAS, FOREVER, limits, MANY, type Values, values, who, window } from './values.ts';

const oneOf = fc.constantFrom;
const step = stepsFor<Door, Values>();
const ends = fc.array(oneOf<End[]>('settle', 'settle', 'forgive'), { maxLength: 2 });
const any = fc.nat({ max: 7 });

const SEQUENCES: Sequences<Door, Values> = {
  reference: async () => {
    const memory = createMemory();
    return {
      port: doors(async () => memory.peer().attempts)(memory.attempts),
      dispose: () => memory.close(),
    };
  },
  values,
  steps: [
    step(8, 'try', (values) => [ends, who(values), limits, window, fc.boolean()], tryOnce),
    step(
      1,
      'begin at once',
      (values) => [fc.array(who(values), { minLength: 1, maxLength: 4 }), fc.nat({ max: 4 }), limits],
      beginAtOnce,
    ),
    step(4, 'end', () => [any, ends], endAndMeasure),
    step(
      1,
      'end at once',
      () => [fc.uniqueArray(any, { minLength: 2 }), ends],
      async ({ known }, all, how) => {
        const there = all.filter((n) => n < known.tickets.length);
        await Promise.all(there.map((n) => end(doorOf(known, n), n, how)));
      },
    ),
    step(
      1,
      'forgive all that are under way',
      () => [fc.boolean()],
      async (door, atOnce) => {
        const { known } = door;
        const all = [...known.tickets.keys()].filter((n) => last(known.tickets, n)?.first === undefined);
        if (atOnce) await Promise.all(all.map((n) => end(doorOf(known, n), n, ['forgive'])));
        else for (const n of all) await end(doorOf(known, n), n, ['forgive']);
        return (await count(door, FOREVER)).isAll;
      },
    ),
    step(
      1,
      'come later and measure',
      (values) => [who(values), oneOf('perAddress', 'perRole')],
      async ({ known }, ...asked) => {
        if (known.handles.length < 4) known.handles.push(await known.another());
        return await measure({ counter: known.handles.at(-1) as AttemptCounter, known }, ...asked);
      },
    ),
    step(
      3,
      'pass time to about a bound',
      () => [any, oneOf(-1, 0, 1)],
      (door, n, beside) => passTo(door, (last(door.known.bounds, n) ?? 0) + beside),
    ),
    step(1, 'be behind by', () => [oneOf(1, 1_000, 59_999, 299_000)], beBehind),
    step(1, 'pass time to', () => [oneOf(...ERAS)], passTo),
    step(
      2,
      'purge',
      () => [any, fc.boolean(), oneOf(false, false, false, true), oneOf(0, 1, 2, 3, MANY)],
      purge,
    ),
    step(1, 'purge at once', () => [oneOf(1, 2, 100), fc.boolean()], purgeAtOnce),
  ],
  look: step(1, 'measure', (values) => [who(values), oneOf('perAddress', 'perRole')], measure),
};

/**
 * Does with an {@link AttemptCounter} what `checkRoleStoreSequences` does with a store of roles.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { checkAttemptCounterSequences } from '@pinfold/test-contracts';
 *
 * const create = async () => {
 *   const memory = createMemory();
 *   return { port: memory.attempts, peer: async () => memory.peer().attempts, dispose: () => memory.close() };
 * };
 * await checkAttemptCounterSequences(create, { runs: 2 });
 */
export function checkAttemptCounterSequences(
  create: () => Promise<Subject<AttemptCounter>>,
  options: ModelOptions = {},
): Promise<void> {
  const opened = async (): Promise<Subject<Door>> => {
    const subject = await create();
    const open = doors(() => subject.peer());
    const peer = async () => open(await subject.peer());
    return { port: open(subject.port), peer, dispose: () => subject.dispose() };
  };
  return checkSequences(SEQUENCES, opened, options);
}
