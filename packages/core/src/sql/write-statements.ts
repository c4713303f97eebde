import type { InsertAction, RemoveAction, UpdateAction } from '../records/step.ts';
import { StatementText } from './condition-text.ts';
import { planOf, type SqlPlan, type Writing } from './sql-plan.ts';
import type { SqlTable } from './sql-table.ts';

export function insertPlan({ dialect, tableOf }: Writing, { kind, table }: InsertAction): SqlPlan {
  const own = tableOf(table);
  const text = new StatementText(dialect);
  const members = own.members.filter((member) => own.column(member).column.type !== 'sequence');
  const values = members.map((member) => {
    const { write } = own.column(member);
    return text.bind(({ row }) => write(row[member]));
  });
  const names = members.map((member) => own.column(member).name);
  const key = table.key.map((member) => own.column(member).name);
  const others = names.filter((name) => !key.includes(name));
  const end = kind === 'insert' ? '' : ` ${dialect.onTakenKey(key, others)}`;
  return planOf(`INSERT INTO ${own.name} (${names.join(', ')}) VALUES (${values.join(', ')})${end}`, text);
}

export function updatePlan({ dialect, tableOf }: Writing, { table, changes }: UpdateAction): SqlPlan {
  const own = tableOf(table);
  const text = new StatementText(dialect);
  const set = Object.keys(changes).map((member) => {
    const { name, write } = own.column(member);
    return `${name} = ${text.bind((action) => write(action.changes[member]))}`;
  });
  return planOf(`UPDATE ${own.name} SET ${set.join(', ')} WHERE ${keyText(own, text)}`, text);
}

export function removePlan({ dialect, tableOf }: Writing, { table }: RemoveAction): SqlPlan {
  const own = tableOf(table);
  const text = new StatementText(dialect);
  return planOf(`DELETE FROM ${own.name} WHERE ${keyText(own, text)}`, text);
}

function keyText(own: SqlTable, text: StatementText): string {
  const terms = own.table.key.map(
    (member) => `${own.column(member).name} = ${text.bind(({ key }) => key[member])}`,
  );
  return terms.join(' AND ');
}
