import { type Program, runAtOnce, type ScanAction, type TableAction } from '@pinfold/core/records';
import type { SqlCompiler, SqlPlan, SqlRow } from '@pinfold/core/sql';
import type { Prepare, SqliteFile } from '../engine/sqlite-file.ts';

/**
 * Runs the steps of a program or query on a connection, without a promise. `transaction` begins a transaction for what needs
 * one; absent where one is open.
 */
export function runSteps<Args, Result>(
  compiler: SqlCompiler,
  { name, run }: Pick<Program<Args, Result>, 'name' | 'run'>,
  args: Args,
  prepare: Prepare,
  transaction: SqliteFile['transaction'] = (_, work) => work(prepare),
): Result {
  return runAtOnce(name, run(args), (action) => {
    if (action.kind === 'scan') return transaction('BEGIN', () => scan(compiler, action, prepare));
    const plan = compiler.planOf(action);
    return plan && answered(plan, action, prepare);
  });
}

function scan(compiler: SqlCompiler, action: ScanAction, prepare: Prepare): unknown {
  const plans = compiler.scanPlansOf(action);
  const rows = answered(plans.rows, action, prepare) as readonly unknown[];
  if (rows.length === action.limit) return { rows, scannedTo: undefined };
  return { rows, scannedTo: answered(plans.end, action, prepare) };
}

function answered(
  { text, values, result, isOneRow }: SqlPlan,
  action: TableAction,
  prepare: Prepare,
): unknown {
  const statement = prepare<SqlRow>(text);
  if (result === undefined) return void statement.run(...values(action));
  if (!isOneRow) return result(statement.all(...values(action)));
  const row = statement.get(...values(action));
  return result(row === undefined ? [] : [row]);
}
