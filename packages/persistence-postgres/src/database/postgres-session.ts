import {
  type ReadAction,
  runByPromises,
  type ScanAction,
  type Steps,
  stepError,
  type TableAction,
  type WriteAction,
} from '@pinfold/core/records';
import type { SqlCompiler, SqlPlan, SqlRow } from '@pinfold/core/sql';
import type { Client } from '../engine/postgres-connection.ts';
import { prepared, type Statement, unprepared } from '../engine/statement.ts';

/** The plans and statements of actions, shared by all sessions of a database. */
export interface SharedPlans {
  readonly compiler: SqlCompiler;
  readonly joinedReads: JoinedReads;
}

/** Reads that are not sent yet, and the promise of their results. */
interface Batch {
  readonly reads: { readonly plan: SqlPlan; readonly action: ReadAction | ScanAction }[];
  readonly results: PromiseWithResolvers<readonly unknown[]>;
}

/**
 * Runs the steps of one program or query on a connection. Does not wait for writes: on a pipelined connection, they are
 * sent with the next read, at the latest with the COMMIT.
 */
export class PostgresSession {
  readonly #client: Client;
  readonly #plans: SharedPlans;
  readonly #program: string;
  readonly #writes: WriteAction[] = [];
  #batch: Batch | undefined;
  /** The answers of all sent statements, in order. */
  readonly #sent: Promise<unknown>[] = [];
  #failure: unknown;
  #hasWritten = false;

  constructor(client: Client, plans: SharedPlans, program: string) {
    this.#client = client;
    this.#plans = plans;
    this.#program = program;
  }

  /** Whether a write was sent. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  run<Result>(steps: Steps<Result>): Promise<Result> {
    return runByPromises(this.#program, steps, (action) => this.#answer(action));
  }

  /** Sends a statement without waiting for it. */
  send(statement: Statement): void {
    void this.#send(statement, []);
  }

  /** Sends the collected writes. */
  flush(): void {
    for (const action of this.#writes.splice(0)) {
      const plan = this.#plans.compiler.planOf(action);
      if (plan === undefined) continue;
      this.#hasWritten = true;
      void this.#run(plan, action, action);
    }
  }

  /** Waits for the answers to all sent statements, and resolves to the first failure, if any. */
  async ended(): Promise<unknown> {
    await Promise.allSettled(this.#sent);
    return this.#failure;
  }

  async #answer(action: TableAction): Promise<unknown> {
    switch (action.kind) {
      case 'insert':
      case 'upsert':
      case 'update':
      case 'remove':
        // Reads that came before must not see this write.
        this.#sendReads();
        this.#writes.push(action);
        return undefined;
      case 'scan':
        this.flush();
        return this.#scan(action);
      default: {
        const plan = this.#plans.compiler.planOf(action);
        if (plan === undefined) return undefined;
        this.flush();
        return plan.isPlannedEachTime
          ? plan.result?.(await this.#run(plan, action))
          : this.#read(plan, action);
      }
    }
  }

  /** Adds a read to the reads of the same step, which are sent together. */
  async #read(plan: SqlPlan, action: ReadAction): Promise<unknown> {
    if (this.#batch === undefined) queueMicrotask(() => this.#sendReads());
    this.#batch ??= { reads: [], results: Promise.withResolvers() };
    const { reads, results } = this.#batch;
    const place = reads.push({ plan, action }) - 1;
    if (reads.length === MAX_JOINED) this.#sendReads();
    return (await results.promise)[place];
  }

  #sendReads(): void {
    if (this.#batch === undefined) return;
    const { reads, results } = this.#batch;
    this.#batch = undefined;
    results.resolve(this.#sendTogether(reads));
  }

  async #sendTogether(reads: Batch['reads']): Promise<readonly unknown[]> {
    const plans = reads.map(({ plan }) => plan);
    const values = reads.flatMap(({ plan, action }) => plan.values(action));
    const rows = await this.#send(this.#plans.joinedReads.statementOf(plans), values);
    const answered = plans.length === 1 ? [rows] : (rows[0]?.parts as readonly (readonly SqlRow[])[]);
    return plans.map(({ result }, n) => result?.(answered[n] ?? []));
  }

  /** Scans an index. It may take the server long, but only the caller waits. */
  async #scan(action: ScanAction): Promise<unknown> {
    const { rows, end, whole } = this.#plans.compiler.scanPlansOf(action);
    if (action.mayScanMore)
      return { rows: whole.result?.(await this.#run(whole, action)), scannedTo: undefined };
    // One statement, so that both reads see one state.
    const [passing, last] = await this.#sendTogether([rows, end].map((plan) => ({ plan, action })));
    const isFull = (passing as readonly unknown[]).length === action.limit;
    return { rows: passing, scannedTo: isFull ? undefined : last };
  }

  #run(plan: SqlPlan, action: TableAction, write?: WriteAction): Promise<readonly SqlRow[]> {
    return this.#send(this.#plans.joinedReads.statementOf([plan]), plan.values(action), write);
  }

  /** Sends a statement: at once on a pipelined connection, otherwise after the previous answer. */
  #send(statement: Statement, values: readonly unknown[], write?: WriteAction): Promise<readonly SqlRow[]> {
    const { isPipelined, run } = this.#client;
    const before = this.#sent.at(-1);
    const send = (): Promise<readonly SqlRow[]> => run<SqlRow>(statement, values);
    const answer = isPipelined || before === undefined ? send() : before.then(send, send);
    const answered = answer.catch((error: unknown) => {
      const failure = write === undefined ? error : stepError(this.#program, write, error);
      this.#failure ??= failure;
      throw failure;
    });
    // Prevents an unhandled rejection: the failure is thrown once the program waits for it.
    answered.catch(() => undefined);
    this.#sent.push(answered);
    return answered;
  }
}

/** Maximum reads in one statement, since each connection prepares a statement for every combination of reads. */
const MAX_JOINED = 16;

/** Matches parameters, and quoted names, which may contain text that looks like a parameter. */
const PARAMETER = /"(?:[^"]|"")*"|\$(\d+)/g;

/** A cache of statements for single plans and joined reads. A joined statement returns one row with all rows as `parts`. */
export class JoinedReads {
  readonly #numbers: Map<SqlPlan, number> = new Map();
  readonly #statements: Map<string, Statement> = new Map();

  /** The statement of one plan or of several reads; its values are those of all plans in turn. */
  statementOf(plans: readonly SqlPlan[]): Statement {
    const shape = plans.map((plan) => this.#numberOf(plan)).join();
    const known = this.#statements.get(shape) ?? joinPlans(plans);
    this.#statements.set(shape, known);
    return known;
  }

  /** Numbers plans by identity: the compiler creates one plan for each text. */
  #numberOf(plan: SqlPlan): number {
    const known = this.#numbers.get(plan) ?? this.#numbers.size;
    this.#numbers.set(plan, known);
    return known;
  }
}

/** Joins reads by `ARRAY(subquery)`, which preserves the order of rows. */
function joinPlans(plans: readonly SqlPlan[]): Statement {
  const [only, second] = plans;
  // The server plans a prepared statement once, for all values.
  if (only !== undefined && second === undefined)
    return only.isPlannedEachTime ? unprepared(only.text) : prepared(only.text);
  let shift = 0;
  const parts = plans.map(({ text }) => {
    let last = 0;
    const shifted = text.replace(PARAMETER, (match, place?: string) => {
      if (place === undefined) return match;
      last = Math.max(last, Number(place));
      return `$${Number(place) + shift}`;
    });
    shift += last;
    return `ARRAY(SELECT pg_catalog.row_to_json(part) FROM (${shifted}) AS part)`;
  });
  const text = `SELECT pg_catalog.json_build_array(${parts.join(', ')}) AS parts`;
  return plans.some(({ isPlannedEachTime }) => isPlannedEachTime) ? unprepared(text) : prepared(text);
}
