import type { InsertAction, UpdateAction } from '../records/step.ts';
import { StatementText } from './condition-text.ts';
import type { SqlPlan } from './sql-plan.ts';
import type { SqlTable } from './sql-table.ts';

export function insertPlan(own: SqlTable, { kind }: InsertAction): SqlPlan {
  const text = new StatementText(own);
  const members = own.members.filter((member) => own.column(member).column.type !== 'sequence');
  const values = members.map((member) => {
    const { write } = own.column(member);
    return text.bind(({ row }) => write(row[member]));
  });
  const names = members.map((member) => own.column(member).name);
  const key = own.table.key.map((member) => own.column(member).name);
  const others = names.filter((name) => !key.includes(name));
  const end = kind === 'insert' ? '' : ` ${own.dialect.onTakenKey(key, others)}`;
  return text.plan(`INSERT INTO ${own.name} (${names.join(', ')}) VALUES (${values.join(', ')})${end}`);
}

export function updatePlan(own: SqlTable, { changes }: UpdateAction): SqlPlan {
  const text = new StatementText(own);
  const set = Object.keys(changes).map((member) => {
    const { name, write } = own.column(member);
    return `${name} = ${text.bind((action) => write(action.changes[member]))}`;
  });
  return text.plan(`UPDATE ${own.name} SET ${set.join(', ')} WHERE ${keyText(own, text)}`);
}

export function removePlan(own: SqlTable): SqlPlan {
  const text = new StatementText(own);
  return text.plan(`DELETE FROM ${own.name} WHERE ${keyText(own, text)}`);
}

/** Finds a row by its primary key. */
export function keyText(own: SqlTable, text: StatementText, alias = ''): string {
  const terms = own.table.key.map(
    (member) => `${own.nameOf(alias, member)} = ${text.bind(({ key }) => key[member])}`,
  );
  return terms.join(' AND ');
}
