import { expect } from 'chai';
import { type AnyTable, ColumnValue, Comparison, TABLES, type Where } from '../../src/records.ts';

function namesIn(where: Where<Readonly<Record<string, unknown>>>): readonly string[] {
  return Object.entries(where).flatMap(([name, match]) => {
    if (name === 'either') return (match as readonly (typeof where)[]).flatMap(namesIn);
    const { operand } = match instanceof Comparison ? match : { operand: undefined };
    return operand instanceof ColumnValue ? [name, operand.column] : [name];
  });
}

/** Values in the condition of an index, which every statement has to repeat: nulls and flags only. */
function valuesIn(where: Where<Readonly<Record<string, unknown>>>): readonly unknown[] {
  return Object.entries(where).flatMap(([name, match]) => {
    if (name === 'either') return (match as readonly (typeof where)[]).flatMap(valuesIn);
    return match instanceof Comparison ? [] : [match];
  });
}

function membersNamedBy(table: AnyTable): readonly string[] {
  const { key, unique, indexes, references } = table;
  return [
    ...key,
    ...unique.flat(),
    ...Object.keys(references),
    ...indexes.flatMap(({ columns, covers = [], where = {} }) => [...columns, ...covers, ...namesIn(where)]),
  ];
}

describe('the tables', () => {
  it('have unique names, and so have the indexes of each', () => {
    expect(new Set(TABLES.map(({ name }) => name)).size).to.equal(TABLES.length);
    for (const { name, indexes } of TABLES) {
      expect(new Set(indexes.map((index) => index.name)).size, name).to.equal(indexes.length);
    }
  });

  for (const table of TABLES) {
    it(`name their own columns in keys and indexes: ${table.name}`, () => {
      expect(Object.keys(table.columns)).to.include.members([...membersNamedBy(table)]);
    });

    it(`have no value but null and flags in the condition of an index: ${table.name}`, () => {
      const values = table.indexes.flatMap(({ where = {} }) => valuesIn(where));
      expect(values.filter((value) => value !== null && typeof value !== 'boolean')).to.deep.equal([]);
    });

    it(`refer to tables with a key of one column: ${table.name}`, () => {
      for (const [member, to] of Object.entries(table.references)) {
        expect(to().key, member).to.have.length(1);
        expect(TABLES).to.include(to());
      }
    });
  }
});
