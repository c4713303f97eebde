import { expect } from 'chai';
import { type Stored, tableOf } from '../../src/adapter/table.ts';
import { type ColumnTypes, changingMembers } from '../../src/adapter.ts';
import type { Role } from '../../src/index.ts';

interface Person {
  readonly name: string;
  readonly isTall: boolean;
  readonly bornIn: number | null;
  readonly pets: readonly string[];
}

const STORED: Stored<Person> = {
  name: { storedAs: 'text' },
  isTall: { storedAs: 'flag' },
  bornIn: { storedAs: 'integer' },
  pets: { storedAs: 'list' },
};

const TYPES: ColumnTypes = {
  integer: (name) => ({ name, type: 'bigint' }),
  flag: (name) => ({ name, write: Number, read: Boolean }),
};

const ADA: Person = { name: 'Ada', isTall: true, bornIn: null, pets: ['cat'] };

describe('a table of columns', () => {
  const people = tableOf(STORED, TYPES);

  it('gives every statement all of its columns, in one order', () => {
    expect(people.select).to.equal('name AS "name", tall AS "isTall", born_in AS "bornIn", pets AS "pets"');
    expect(people.insert).to.equal('name, tall, born_in, pets');
    expect(people.parameters(3)).to.equal('$3, $4, $5::bigint, $6');
    expect(people.set(['bornIn', 'name'], 2)).to.equal('born_in = $2::bigint, name = $3');
    const marked = tableOf(STORED, { ...TYPES, parameter: (place) => `?${place}` });
    expect(marked.parameters(1)).to.equal('?1, ?2, ?3::bigint, ?4');
  });

  it('binds and reads what the database keeps otherwise', () => {
    expect(people.values(ADA)).to.deep.equal(['Ada', 1, null, '["cat"]']);
    expect(people.values(ADA, ['bornIn', 'isTall'])).to.deep.equal([null, 1]);
    const row = { name: 'Ada', isTall: 1, bornIn: null, pets: '["cat"]', version: 7 };
    expect(people.read(row)).to.deep.equal(ADA);
  });

  it('does not compile with a column missing', () => {
    // @ts-expect-error: nobody would notice until a role is loaded without it.
    const forgetful: Stored<Person> = { name: STORED.name, isTall: STORED.isTall, pets: STORED.pets };
    expect(Object.keys(forgetful)).to.have.lengthOf(3);
  });
});

describe('the members that a save writes', () => {
  it('are those that can change, new ones among them', () => {
    const members = ['id', 'account', 'title', 'size', 'expiresAt', 'mood'] as (keyof Role)[];
    expect(changingMembers({ members })).to.deep.equal(['title', 'expiresAt', 'mood']);
  });
});
