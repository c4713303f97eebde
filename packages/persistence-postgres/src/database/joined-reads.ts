import type { SqlPlan } from '@pinfold/core/sql';
import { prepared, type Statement, unprepared } from '../engine/statement.ts';

/** Maximum reads in one statement, since each connection prepares a statement for every combination of reads. */
export const MAX_JOINED = 16;

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
