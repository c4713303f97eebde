import { Step, type Steps, type TableAction } from './step.ts';
import { StepError } from './step-error.ts';

/** Answers one action in one table. */
export type Answer<Result> = (action: TableAction, isUnlocked: boolean) => Result;

/** Runs steps at once, for an engine whose database answers without a promise. */
export function runAtOnce<Result>(program: string, steps: Steps<Result>, answer: Answer<unknown>): Result {
  let next = steps.next();
  while (next.done !== true) {
    try {
      next = steps.next(answerAtOnce(program, next.value, answer));
    } catch (error) {
      // Steps that have failed themselves throw it again.
      next = steps.throw(error);
    }
  }
  return next.value;
}

function answerAtOnce(
  program: string,
  step: Step<unknown>,
  answer: Answer<unknown>,
  isUnlocked = step.isUnlocked,
): unknown {
  const { action } = expectStep(program, step);
  if (action.kind === 'nothing') return undefined;
  if (action.kind === 'all') {
    return action.steps.map((one) => answerAtOnce(program, one, answer, isUnlocked || one.isUnlocked));
  }
  try {
    return answer(action, isUnlocked);
  } catch (error) {
    throw stepError(program, action, error);
  }
}

/** Runs steps of which the actions are answered by promises; those of one step are asked for at the same time. */
export async function runByPromises<Result>(
  program: string,
  steps: Steps<Result>,
  answer: Answer<Promise<unknown>>,
): Promise<Result> {
  let next = steps.next();
  while (next.done !== true) {
    try {
      next = steps.next(await answerByPromises(program, next.value, answer));
    } catch (error) {
      next = steps.throw(error);
    }
  }
  return next.value;
}

async function answerByPromises(
  program: string,
  step: Step<unknown>,
  answer: Answer<Promise<unknown>>,
  isUnlocked = step.isUnlocked,
): Promise<unknown> {
  const { action } = expectStep(program, step);
  if (action.kind === 'nothing') return undefined;
  if (action.kind === 'all') {
    const answers = action.steps.map((one) =>
      answerByPromises(program, one, answer, isUnlocked || one.isUnlocked),
    );
    // All of them have ended before the first failure is passed on.
    await Promise.allSettled(answers);
    return Promise.all(answers);
  }
  try {
    return await answer(action, isUnlocked);
  } catch (error) {
    throw stepError(program, action, error);
  }
}

/** A generator that was yielded, rather than delegated to by `yield*`, would run no step. */
function expectStep(program: string, step: Step<unknown>): Step<unknown> {
  if (step instanceof Step) return step;
  throw new TypeError(`${program} yielded something that is no step: a program delegates by yield*`);
}

/** The error of an action that failed, with its place and the error of the database as its cause. */
export function stepError(program: string, action: TableAction, cause: unknown): StepError {
  return new StepError(
    { program, step: action.kind, table: action.table.name, columns: columnsOf(action) },
    cause,
  );
}

function columnsOf(action: TableAction): readonly string[] {
  if ('row' in action) return action.table.key;
  return Object.keys('key' in action ? action.key : action.where);
}
