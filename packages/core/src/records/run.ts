import { Step, type Steps, type TableAction } from './step.ts';
import { StepError } from './step-error.ts';

/** Answers one action in one table. */
export type ActionHandler<Result> = (action: TableAction, isUnlocked: boolean) => Result;

/** Runs steps at once, for an engine whose database answers without a promise. */
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
      // Steps that have failed themselves throw it again.
      next = steps.throw(error);
    }
  }
  return next.value;
}

/** Runs steps of which the actions are answered by promises; those of one step are asked for at the same time. */
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

/** All of them have ended before the first failure is passed on. */
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
  // A generator that was yielded, rather than delegated to by `yield*`, would run no step.
  if (!(step instanceof Step))
    throw new TypeError(`${program} yielded something that is no step: a program delegates by yield*`);
  const { action } = step;
  if (action.kind === 'nothing') return undefined;
  if (action.kind !== 'all') return answer(action, isUnlocked);
  return join(action.steps.map((one) => answerTo(program, one, answer, join, isUnlocked || one.isUnlocked)));
}

/** The error of an action that failed, with its place and the error of the database as its cause. */
export function stepError(program: string, action: TableAction, cause: unknown): StepError {
  // A write that was held back may fail a later step: the place is that of the write.
  if (cause instanceof StepError) return cause;
  const { kind: step, table } = action;
  const columns = 'row' in action ? table.key : Object.keys('key' in action ? action.key : action.where);
  return new StepError({ program, step, table: table.name, columns }, cause);
}
