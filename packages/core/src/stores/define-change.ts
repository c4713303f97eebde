import { Fault } from '../fault.ts';
import { all, nothing } from '../records/joining.ts';
import {
  defineProgram,
  defineQuery,
  type Program,
  type ProgramDefinition,
  type Query,
} from '../records/program.ts';
import { type Access, Step, type Steps } from '../records/step.ts';
import { get } from '../records/steps.ts';
import { IMPORT_LOCK } from '../records/tables/locks.ts';
import { UNFINISHED_IMPORTS, type UnfinishedImportRow } from '../records/tables/service-tables.ts';

/** Reads the mark of an unfinished import, for {@link refuseWhileImporting}. */
export const getImportMark: Step<UnfinishedImportRow | undefined, 'read'> = get(UNFINISHED_IMPORTS, {
  id: 1,
});

type ChangeDefinition<Args, Result> = ProgramDefinition<Args, Result> &
  Required<Pick<ProgramDefinition<Args, Result>, 'locks'>>;

/**
 * Defines a program that fails while an import is unfinished. Every program that writes is defined so, except those of an
 * import itself, and those that count tries of passwords, whose tables no import touches.
 */
export function defineChange<Args, const Result>(
  name: string,
  { locks, usesReserve, run }: ChangeDefinition<Args, Result>,
): Program<Args, Result> {
  return defineProgram(name, {
    locks: (args: Args) => {
      const wanted = locks(args);
      return { ...wanted, shared: [...(wanted.shared ?? []), IMPORT_LOCK] };
    },
    ...(usesReserve === undefined ? {} : { usesReserve }),
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

/** Reads the mark along with the first step, so that it costs no round trip. */
function* refuseWhileImporting<Result, Kind extends Access>(
  run: Steps<Result, Kind> | Step<Result, Kind>,
): Steps<Result, Kind | 'read'> {
  const steps = run instanceof Step ? run[Symbol.iterator]() : run;
  let next = steps.next();
  let isChecked = false;
  while (!isChecked || next.done !== true) {
    const step: Step<unknown, Kind | 'read'> = next.done === true ? nothing : next.value;
    let answer: unknown;
    try {
      answer = isChecked ? yield step : yield* all(getImportMark, step);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    if (!isChecked) {
      const [mark, first] = answer as readonly [UnfinishedImportRow | undefined, unknown];
      if (mark !== undefined)
        throw new Fault('store_unavailable', 'an import into this database has not ended');
      [isChecked, answer] = [true, first];
    }
    if (next.done !== true) next = steps.next(answer);
  }
  return next.value;
}
