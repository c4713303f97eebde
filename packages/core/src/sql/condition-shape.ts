import { ColumnValue, Comparison, type Where } from '../records/conditions.ts';

/** Conditions on rows of any table. */
export type AnyWhere = Where<Readonly<Record<string, unknown>>>;

/** A text that is the same for conditions with the same statement. */
export function shapeOfWhere(where: AnyWhere): string {
  let shape = '';
  for (const member in where) {
    const match = (where as Record<string, unknown>)[member];
    if (match === undefined) continue;
    if (member === 'either') shape += `(${(match as readonly AnyWhere[]).map(shapeOfWhere).join('|')})`;
    else if (Array.isArray(match)) shape += `${member}[${match.map(shapeOfComparison).join()}]`;
    else if (match instanceof Comparison) shape += member + shapeOfComparison(match);
    else if (match === null || typeof match === 'boolean') shape += `${member}:${match};`;
    else shape += `${member}=`;
  }
  return shape;
}

function shapeOfComparison({ operator, operand }: Comparison<unknown>): string {
  return operand instanceof ColumnValue ? `<${operator} ${operand.column}>` : `<${operator}>`;
}

/** The members that conditions compare. */
export function membersIn(where: object): readonly string[] {
  return Object.entries(where).flatMap(([member, match]) => {
    if (match === undefined) return [];
    return member === 'either' ? (match as readonly object[]).flatMap(membersIn) : [member];
  });
}
