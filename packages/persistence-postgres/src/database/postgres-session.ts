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
import type { Statement } from '../engine/statement.ts';
import { type JoinedReads, MAX_JOINED } from './joined-reads.ts';

/** How the statements of actions are written: once for all sessions of a database. */
export interface Writing {
  readonly compiler: SqlCompiler;
  readonly joinedReads: JoinedReads;
}

/** Reads that were not sent yet, and the promise of their results. */
interface Batch {
  readonly reads: { readonly plan: SqlPlan; readonly action: ReadAction | ScanAction }[];
  readonly results: PromiseWithResolvers<readonly unknown[]>;
}

/**
 * The steps of one program or query on a connection. What needs no answer is not waited for: on a connection that
 * pipelines, writes travel with the next statement that is waited for, at the latest with the one that ends the program.
 */
export class PostgresSession {
  readonly #client: Client;
  readonly #writing: Writing;
  readonly #program: string;
  readonly #writes: WriteAction[] = [];
  #batch: Batch | undefined;
  /** Everything that was sent, in its order. */
  readonly #sent: Promise<unknown>[] = [];
  #failure: unknown;

  constructor(client: Client, writing: Writing, program: string) {
    this.#client = client;
    this.#writing = writing;
    this.#program = program;
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
      void this.#run(plan, action, action);
    }
  }

  /** Resolves with the first failure, undefined without one, when all that was sent has been answered. */
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
          ? plan.result?.(await this.#run(plan, action))
          : this.#read(plan, action);
      }
    }
  }

  /** Adds a read to those of the same step, which are sent together when the step has asked for all of them. */
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
    results.resolve(this.#askTogether(reads));
  }

  async #askTogether(reads: Batch['reads']): Promise<readonly unknown[]> {
    const plans = reads.map(({ plan }) => plan);
    const values = reads.flatMap(({ plan, action }) => plan.values(action));
    const rows = await this.#ask(this.#writing.joinedReads.statementOf(plans), values);
    const answered = plans.length === 1 ? [rows] : (rows[0]?.parts as readonly (readonly SqlRow[])[]);
    return plans.map(({ result }, n) => result?.(answered[n] ?? []));
  }

  /** The server reads an index as far as it takes, and only the caller waits for it. */
  async #scan(action: ScanAction): Promise<unknown> {
    const { rows, end, whole } = this.#writing.compiler.scanPlansOf(action);
    if (action.mayScanMore)
      return { rows: whole.result?.(await this.#run(whole, action)), scannedTo: undefined };
    // In one statement, so that both are of one state.
    const [passing, last] = await this.#askTogether([rows, end].map((plan) => ({ plan, action })));
    const isFull = (passing as readonly unknown[]).length === action.limit;
    return { rows: passing, scannedTo: isFull ? undefined : last };
  }

  #run(plan: SqlPlan, action: TableAction, write?: WriteAction): Promise<readonly SqlRow[]> {
    return this.#ask(this.#writing.joinedReads.statementOf([plan]), plan.values(action), write);
  }

  /** Asks at once where the connection pipelines, and else when all before has been answered. */
  #ask(statement: Statement, values: readonly unknown[], write?: WriteAction): Promise<readonly SqlRow[]> {
    const { isPipelined, run } = this.#client;
    const before = this.#sent.at(-1);
    const send = (): Promise<readonly SqlRow[]> => run<SqlRow>(statement, values);
    const asked = isPipelined || before === undefined ? send() : before.then(send, send);
    const answered = asked.catch((error: unknown) => {
      const failure = write === undefined ? error : stepError(this.#program, write, error);
      this.#failure ??= failure;
      throw failure;
    });
    // A failure is thrown when the program waits for it.
    answered.catch(() => undefined);
    this.#sent.push(answered);
    return answered;
  }
}
