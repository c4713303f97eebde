import {
  type ReadAction,
  runByPromises,
  type ScanAction,
  StepError,
  type Steps,
  stepError,
  type TableAction,
  type WriteAction,
} from '@pinfold/core/records';
import type { SqlCompiler, SqlPlan, SqlRow } from '@pinfold/core/sql';
import type { Client } from '../engine/postgres-connection.ts';
import { COMMIT, prepared, type Statement, unprepared } from '../engine/statement.ts';
import { type JoinedReads, joinedRows, MAX_JOINED } from './joined-reads.ts';

/** Begins a read-only state. */
export const BEGIN_SNAPSHOT: Statement = unprepared('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

const statements: WeakMap<SqlPlan, Statement> = new WeakMap();

/** A prepared statement is planned once and for all values, unless the best plan depends on them. */
function statementOf(plan: SqlPlan): Statement {
  let statement = statements.get(plan);
  if (statement === undefined) {
    statement = plan.isPlannedEachTime ? unprepared(plan.text) : prepared(plan.text);
    statements.set(plan, statement);
  }
  return statement;
}

/** How the statements of actions are written: once for all sessions of a database. */
export interface Writing {
  readonly compiler: SqlCompiler;
  readonly joinedReads: JoinedReads;
}

/** A read that was not sent yet, and what its answer goes to. */
interface Read {
  readonly plan: SqlPlan;
  readonly action: ReadAction;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * The steps of one program or query on a connection. What needs no answer is not waited for: on a connection that
 * pipelines, writes travel with the next statement that is waited for, at the latest with the one that ends the program.
 */
export class PostgresSession {
  readonly #client: Client;
  readonly #writing: Writing;
  readonly #program: string;
  readonly #isInTransaction: boolean;
  readonly #writes: WriteAction[] = [];
  readonly #reads: Read[] = [];
  /** Everything that was sent, in its order. */
  readonly #sent: Promise<unknown>[] = [];
  readonly #failed: unknown[] = [];

  constructor(client: Client, writing: Writing, program: string, isInTransaction: boolean) {
    this.#client = client;
    this.#writing = writing;
    this.#program = program;
    this.#isInTransaction = isInTransaction;
  }

  run<Result>(steps: Steps<Result>): Promise<Result> {
    return runByPromises(this.#program, steps, (action) => this.#answer(action));
  }

  /** Sends a statement without waiting for it. */
  send(statement: Statement): void {
    void this.#ask(statement, []);
  }

  /** Sends the writes that are left. */
  flush(): void {
    for (const action of this.#writes.splice(0)) {
      const plan = this.#writing.compiler.planOf(action);
      if (plan === undefined) continue;
      void this.#ask(statementOf(plan), plan.values(action), action);
    }
  }

  /** Resolves when all that was sent has been answered; rejects with the first failure, of which later ones come. */
  async settled(): Promise<void> {
    await this.ended();
    await Promise.all(this.#sent);
  }

  /** Resolves when all that was sent has been answered, or has failed. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#sent);
  }

  /** Whether a statement has failed that was answered. */
  get hasFailed(): boolean {
    return this.#failed.length > 0;
  }

  /** The error of the first statement that failed, once all have been answered. */
  async firstFailure(): Promise<unknown> {
    await this.ended();
    return this.#failed[0];
  }

  async #answer(action: TableAction): Promise<unknown> {
    switch (action.kind) {
      case 'insert':
      case 'upsert':
      case 'update':
      case 'remove':
        // What was to be read before is.
        this.#sendReads();
        this.#writes.push(action);
        return undefined;
      case 'scan':
        this.flush();
        return this.#scan(action);
      default: {
        const plan = this.#writing.compiler.planOf(action);
        if (plan === undefined) return undefined;
        this.flush();
        return plan.isPlannedEachTime
          ? plan.result?.(await this.#ask(statementOf(plan), plan.values(action)))
          : this.#read(plan, action);
      }
    }
  }

  /** Adds a read to those of the same step, which are sent together when the step has asked for all of them. */
  #read(plan: SqlPlan, action: ReadAction): Promise<unknown> {
    if (this.#reads.length === 0) queueMicrotask(() => this.#sendReads());
    return new Promise((resolve, reject) => {
      this.#reads.push({ plan, action, resolve, reject });
    });
  }

  #sendReads(): void {
    while (this.#reads.length > 0) {
      const reads = this.#reads.splice(0, MAX_JOINED);
      this.#askTogether(reads).then(
        (answers) => {
          for (const [n, { resolve }] of reads.entries()) resolve(answers[n]);
        },
        (error: unknown) => {
          for (const { reject } of reads) reject(error);
        },
      );
    }
  }

  async #askTogether(reads: readonly Read[]): Promise<readonly unknown[]> {
    const plans = reads.map(({ plan }) => plan);
    const values = reads.flatMap(({ plan, action }) => plan.values(action));
    const [only, second] = plans;
    const answered =
      only !== undefined && second === undefined
        ? [await this.#ask(statementOf(only), values)]
        : joinedRows(await this.#ask(this.#writing.joinedReads.statementOf(plans), values));
    return plans.map(({ result }, n) => result?.(answered[n] ?? []));
  }

  /** The server reads an index as far as it takes, and only the caller waits for it. */
  async #scan(action: ScanAction): Promise<unknown> {
    const { rows, end, whole } = this.#writing.compiler.scanPlansOf(action);
    const ask = (plan: SqlPlan): Promise<readonly SqlRow[]> =>
      this.#ask(statementOf(plan), plan.values(action));
    if (action.mayScanMore) return { rows: whole.result?.(await ask(whole)), scannedTo: undefined };
    if (!this.#isInTransaction) this.send(BEGIN_SNAPSHOT);
    const asked = Promise.all([ask(rows), ask(end)]);
    if (!this.#isInTransaction) this.send(COMMIT);
    const [found, last] = await asked;
    const passing = rows.result?.(found) as readonly unknown[];
    return { rows: passing, scannedTo: passing.length === action.limit ? undefined : end.result?.(last) };
  }

  /** Asks at once where the connection pipelines, and else when all before has been answered. */
  #ask(statement: Statement, values: readonly unknown[], write?: WriteAction): Promise<readonly SqlRow[]> {
    const { isPipelined, run } = this.#client;
    const before = this.#sent.at(-1);
    const asked =
      isPipelined || before === undefined
        ? run<SqlRow>(statement, values)
        : before.then(
            () => run<SqlRow>(statement, values),
            () => run<SqlRow>(statement, values),
          );
    const answered = asked.then(
      ({ rows }) => rows,
      (error: unknown) => {
        const failure = write === undefined ? error : stepError(this.#program, write, error);
        this.#failed.push(failure);
        throw failure;
      },
    );
    // A failure is thrown when the program waits for it.
    answered.catch(() => undefined);
    this.#sent.push(answered);
    return answered;
  }
}

/** The error of the database below the place of a step. */
export function causeOf(error: unknown): unknown {
  return error instanceof StepError ? error.cause : error;
}
