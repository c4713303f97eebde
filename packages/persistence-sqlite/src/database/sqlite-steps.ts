import { type Program, runAtOnce, type ScanAction, type TableAction } from '@pinfold/core/records';
import { SqlCompiler, type SqlPlan, type SqlRow } from '@pinfold/core/sql';
import type { Prepare, SqliteFile } from '../engine/sqlite-file.ts';
import { SQLITE } from './sqlite-dialect.ts';

/** Runs the steps of programs and queries on a connection, without a promise. */
export class SqliteSteps {
  readonly #compiler: SqlCompiler;

  constructor(compiler: SqlCompiler = new SqlCompiler(SQLITE)) {
    this.#compiler = compiler;
  }

  /** `transaction` begins a transaction for what needs one; absent where one is open. */
  run<Args, Result>(
    { name, run }: Pick<Program<Args, Result>, 'name' | 'run'>,
    args: Args,
    prepare: Prepare,
    transaction?: SqliteFile['transaction'],
  ): Result {
    return runAtOnce(name, run(args), (action) => this.#answer(action, prepare, transaction));
  }

  #answer(action: TableAction, prepare: Prepare, transaction?: SqliteFile['transaction']): unknown {
    if (action.kind === 'scan') {
      const scan = (): unknown => this.#scan(action, prepare);
      return transaction === undefined ? scan() : transaction('BEGIN', scan);
    }
    const plan = this.#compiler.planOf(action);
    if (plan === undefined) return undefined;
    return answered(plan, action, prepare);
  }

  #scan(action: ScanAction, prepare: Prepare): unknown {
    const plans = this.#compiler.scanPlansOf(action);
    const rows = answered(plans.rows, action, prepare) as readonly unknown[];
    if (rows.length === action.limit) return { rows, scannedTo: undefined };
    return { rows, scannedTo: answered(plans.end, action, prepare) };
  }
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
