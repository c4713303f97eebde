import { type Access, Step, type Steps } from './step.ts';

/** Joins independent steps: an engine sends all of them to the database at once. */
export function all<const All extends readonly Step<unknown>[]>(
  ...steps: All
): Step<ResultsTogether<All>, PartAccess<All[number]>> {
  return new Step({ kind: 'all', steps });
}

/** A step that does nothing and results in undefined, in place of one that is not needed. */
export const nothing: Step<undefined, 'read'> = new Step({ kind: 'nothing' });

type Part = Step<unknown> | Steps<unknown>;
type ResultOf<One> = One extends Iterable<unknown, infer Result, unknown> ? Result : never;
type PartAccess<One> = One extends Iterable<Step<unknown, infer Kind>, unknown, unknown> ? Kind : never;

/** The results of several parts of a program. */
export type ResultsTogether<Parts extends readonly Part[]> = {
  -readonly [N in keyof Parts]: ResultOf<Parts[N]>;
};

/**
 * Runs parts of a program concurrently, and joins their simultaneous steps to one: two checks that each read something can
 * be two functions, and cost one round trip.
 */
export function* together<const Parts extends readonly Part[]>(
  ...parts: Parts
): Steps<ResultsTogether<Parts>, PartAccess<Parts[number]>> {
  const running = parts.map((part) => part[Symbol.iterator]());
  const turns = running.map((part) => part.next());
  for (;;) {
    const steps = turns.flatMap(({ done, value }) => (done === true ? [] : [value]));
    if (steps.length === 0) return turns.map(({ value }) => value) as never;
    const answers = [...(yield* new Step<readonly unknown[], never>({ kind: 'all', steps }))];
    running.forEach((part, n) => {
      if (turns[n]?.done !== true) turns[n] = part.next(answers.shift());
    });
  }
}

/** Whether a step only writes, so that its program need not wait for it. */
export function isWrite({ action }: Step<unknown, Access>): boolean {
  if (action.kind === 'all') return action.steps.length > 0 && action.steps.every(isWrite);
  return ['insert', 'upsert', 'update', 'remove'].includes(action.kind);
}
