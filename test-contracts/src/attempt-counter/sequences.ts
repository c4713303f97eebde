import type { AttemptCounter } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import fc from 'fast-check';
import type { Subject } from '../contract.ts';
import { checkSequences, type ModelOptions, methodsFor, type Sequences } from '../sequences/run.ts';
import { Door, type End } from './door.ts';
import { ERAS, limits, MANY, type Values, values, who, window } from './values.ts';

const oneOf = fc.constantFrom;
const call = methodsFor<Door, Values>();
const ends = fc.array(oneOf<End[]>('settle', 'settle', 'forgive'), { maxLength: 2 });
const any = fc.nat({ max: 7 });

const SEQUENCES: Sequences<Door, Values> = {
  reference: async () => {
    const memory = createMemory();
    return { port: new Door(memory.attempts), dispose: () => memory.close() };
  },
  values,
  steps: [
    call(8, 'try', (values) => [who(values), limits, window, ends]),
    call(1, 'tryAtOnce', (values) => [who(values), limits, fc.integer({ min: 2, max: 6 })]),
    call(4, 'end', () => [any, ends]),
    call(1, 'endAtOnce', () => [fc.uniqueArray(any, { minLength: 2 }), oneOf('settle', 'forgive')]),
    call(3, 'passToBound', () => [any, oneOf(-1, 0, 1)]),
    call(1, 'beBehind', () => [oneOf(1, 1_000, 59_999, 299_000)]),
    call(1, 'passTo', () => [oneOf(...ERAS)]),
    call(3, 'purge', () => [any, oneOf(0, 1, 2, 3, MANY), oneOf(1, 1, 2)]),
  ],
  read: call(1, 'measure', (values) => [who(values), oneOf('perAddress', 'perRole')]),
};

/** Does with an {@link AttemptCounter} what `checkRoleStoreSequences` does with a store of roles. */
export function checkAttemptCounterSequences(
  create: () => Promise<Subject<AttemptCounter>>,
  options: ModelOptions = {},
): Promise<void> {
  const opened = async (): Promise<Subject<Door>> => {
    const subject = await create();
    const port = new Door(subject.port);
    const peer = async () => new Door(await subject.peer(), port);
    return { port, peer, dispose: () => subject.dispose() };
  };
  return checkSequences(SEQUENCES, opened, options);
}
