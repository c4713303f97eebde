import { Fault } from '../fault.ts';
import { all } from '../records/joining.ts';
import {
  defineProgram,
  defineQuery,
  type Program,
  type ProgramDefinition,
  type Query,
} from '../records/program.ts';
import { type Access, Step, type Steps } from '../records/step.ts';
import { get } from '../records/steps.ts';
import type { RowOf } from '../records/table.ts';
import { IMPORT_LOCK } from '../records/tables/locks.ts';
import { UNFINISHED_IMPORTS } from '../records/tables/one-row-tables.ts';

/** Reads the mark of an unfinished import, for {@link refuseWhileImporting}. */
export const getImportMark: Step<RowOf<typeof UNFINISHED_IMPORTS> | undefined, 'read'> = get(
  UNFINISHED_IMPORTS,
  { id: 1 },
);

type ChangeDefinition<Args, Result> = ProgramDefinition<Args, Result> &
  Required<Pick<ProgramDefinition<Args, Result>, 'locks'>>;

/**
 * Defines a program that fails while an import is unfinished. Every program that writes is defined so, except those of an
 * import itself, and those that count tries of passwords, whose tables no import touches.
 */
export function defineChange<Args, const Result>(
  name: string,
  { locks, usesReserve = () => false, run }: ChangeDefinition<Args, Result>,
): Program<Args, Result> {
  return defineProgram(name, {
    locks: (args: Args) => {
      const wanted = locks(args);
      return { ...wanted, shared: [...(wanted.shared ?? []), IMPORT_LOCK] };
    },
    usesReserve,
    run: (args) => refuseWhileImporting(run(args)),
  });
}

/** Defines a query for what a change looks for before it takes locks: it fails while an import is unfinished, too. */
export function defineChangeQuery<Args, const Result>(
  name: string,
  run: (args: Args) => Steps<Result, 'read'> | Step<Result, 'read'>,
): Query<Args, Result> {
  return defineQuery(name, (args: Args) => refuseWhileImporting(run(args)));
}

/** Reads the mark along with the first step, which each has, so that it costs no round trip. */
function* refuseWhileImporting<Result, Kind extends Access>(
  run: Steps<Result, Kind> | Step<Result, Kind>,
): Steps<Result, Kind | 'read'> {
  const steps = run instanceof Step ? run[Symbol.iterator]() : run;
  let next = steps.next();
  let isChecked = false;
  while (next.done !== true) {
    let answer: unknown;
    try {
      answer = isChecked ? yield next.value : yield* firstAnswer(next.value);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    isChecked = true;
    next = steps.next(answer);
  }
  return next.value;
}

function* firstAnswer<Kind extends Access>(first: Step<unknown, Kind>): Steps<unknown, Kind | 'read'> {
  const [mark, answer] = yield* all(getImportMark, first);
  if (mark === undefined) return answer;
  throw new Fault('store_unavailable', 'an import into this database has not ended');
}
