import { Step, StepError, type Steps, type TableAction } from './step.ts';

/** Answers one action in one table. */
export type ActionHandler<Result> = (action: TableAction, isUnlocked: boolean) => Result;

/** Runs steps synchronously, for an engine whose database answers without a promise. */
export function runAtOnce<Result>(
  program: string,
  steps: Steps<Result>,
  answer: ActionHandler<unknown>,
): Result {
  const answered: ActionHandler<unknown> = (action, isUnlocked) => {
    try {
      return answer(action, isUnlocked);
    } catch (error) {
      throw stepError(program, action, error);
    }
  };
  let next = steps.next();
  while (next.done !== true) {
    try {
      next = steps.next(answerTo(program, next.value, answered, (answers) => answers));
    } catch (error) {
      // A generator that has thrown this error itself throws it again.
      next = steps.throw(error);
    }
  }
  return next.value;
}

/** Runs steps whose actions are answered by promises; the actions of one step run concurrently. */
export async function runByPromises<Result>(
  program: string,
  steps: Steps<Result>,
  answer: ActionHandler<Promise<unknown>>,
): Promise<Result> {
  const answered: ActionHandler<Promise<unknown>> = async (action, isUnlocked) => {
    try {
      return await answer(action, isUnlocked);
    } catch (error) {
      throw stepError(program, action, error);
    }
  };
  let next = steps.next();
  while (next.done !== true) {
    try {
      next = steps.next(await answerTo(program, next.value, answered, allAnswered));
    } catch (error) {
      next = steps.throw(error);
    }
  }
  return next.value;
}

/** Waits for all answers, even if one fails: no action may still run when the transaction ends. */
async function allAnswered(answers: readonly unknown[]): Promise<readonly unknown[]> {
  await Promise.allSettled(answers);
  return Promise.all(answers);
}

function answerTo(
  program: string,
  step: Step<unknown>,
  answer: ActionHandler<unknown>,
  join: (answers: readonly unknown[]) => unknown,
  isUnlocked = step.isUnlocked,
): unknown {
  // A generator that was yielded, not delegated to by `yield*`, would run no step.
  if (!(step instanceof Step))
    throw new TypeError(`${program} yielded something that is not a step: a program delegates by yield*`);
  const { action } = step;
  if (action.kind === 'nothing') return undefined;
  if (action.kind !== 'all') return answer(action, isUnlocked);
  return join(action.steps.map((one) => answerTo(program, one, answer, join, isUnlocked || one.isUnlocked)));
}

/** Wraps the database's error in one that names the action that failed. */
export function stepError(program: string, action: TableAction, cause: unknown): StepError {
  // A delayed write may fail a later step; its error already names the write.
  if (cause instanceof StepError) return cause;
  const { kind: step, table } = action;
  const columns = 'row' in action ? table.key : Object.keys('key' in action ? action.key : action.where);
  return new StepError({ program, step, table: table.name, columns }, cause);
}
