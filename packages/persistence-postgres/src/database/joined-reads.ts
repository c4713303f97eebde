import type { SqlPlan } from '@pinfold/core/sql';
import { prepared, type Statement, unprepared } from '../engine/statement.ts';

/** The most reads in one statement: each connection prepares one for every combination that programs ask for. */
export const MAX_JOINED = 16;

/** A quoted name, which may look like a parameter, or a parameter. */
const PARAMETER = /"(?:[^"]|"")*"|\$(\d+)/g;

/** The statements of plans, and of the reads of a step in one, whose only row has the rows of each as its `parts`. */
export class JoinedReads {
  readonly #numbers: Map<SqlPlan, number> = new Map();
  readonly #statements: Map<string, Statement> = new Map();

  /** The statement of one plan or several reads. Their values follow each other. */
  statementOf(plans: readonly SqlPlan[]): Statement {
    const shape = plans.map((plan) => this.#numberOf(plan)).join();
    const known = this.#statements.get(shape) ?? joined(plans);
    this.#statements.set(shape, known);
    return known;
  }

  /** A plan is made once for a shape, so it stands for its text. */
  #numberOf(plan: SqlPlan): number {
    const known = this.#numbers.get(plan) ?? this.#numbers.size;
    this.#numbers.set(plan, known);
    return known;
  }
}

/** An array of a subquery has its rows in their order. */
function joined(plans: readonly SqlPlan[]): Statement {
  const [only, second] = plans;
  // A prepared statement is planned once and for all values.
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
