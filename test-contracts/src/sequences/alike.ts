import { isDeepStrictEqual } from 'node:util';
import { util } from 'chai';

/** Whether two answers say the same: of what class or in which order of its fields one is given means nothing. */
export function areAlike(one: unknown, other: unknown): boolean {
  // The first is quicker, and minds classes; the second is what clauses compare with.
  return isDeepStrictEqual(one, other) || util.eql(one, other);
}

/** Answers of which it is open who got which, so that those of two stores can be compared. */
export function inOneOrder(answers: readonly unknown[]): string[] {
  return answers.map((answer) => JSON.stringify(answer, withFieldsInOrder)).sort();
}

function withFieldsInOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
