import { type Program, runAtOnce, type ScanAction, type TableAction } from '@pinfold/core/records';
import type { SqlCompiler, SqlPlan, SqlRow } from '@pinfold/core/sql';
import type { SqliteFile } from '../engine/sqlite-file.ts';

/** Runs the steps of a program or query on a connection, synchronously. */
export function runSteps<Args, Result>(
  compiler: SqlCompiler,
  { name, run }: Pick<Program<Args, Result>, 'name' | 'run'>,
  args: Args,
  file: SqliteFile,
): Result {
  return runAtOnce(name, run(args), (action) => {
    if (action.kind === 'scan') return scan(compiler, action, file);
    const plan = compiler.planOf(action);
    return plan && runPlan(plan, action, file);
  });
}

function scan(compiler: SqlCompiler, action: ScanAction, file: SqliteFile): unknown {
  if (!file.isInTransaction()) return file.transaction('BEGIN', () => scan(compiler, action, file));
  const plans = compiler.scanPlansOf(action);
  const rows = runPlan(plans.rows, action, file) as readonly unknown[];
  if (rows.length === action.limit) return { rows, scannedTo: undefined };
  return { rows, scannedTo: runPlan(plans.end, action, file) };
}

function runPlan(
  { text, values, result, isOneRow }: SqlPlan,
  action: TableAction,
  file: SqliteFile,
): unknown {
  const statement = file.prepare<SqlRow>(text);
  if (result === undefined) return void statement.run(...values(action));
  if (!isOneRow) return result(statement.all(...values(action)));
  const row = statement.get(...values(action));
  return result(row === undefined ? [] : [row]);
}
