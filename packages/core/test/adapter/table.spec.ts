import { expect } from 'chai';
import { type Columns, changingMembers, tableOf } from '../../src/adapter.ts';
import type { Role } from '../../src/index.ts';

interface Person {
  readonly name: string;
  readonly isTall: boolean;
  readonly bornIn: number | null;
}

const COLUMNS: Columns<Person> = {
  name: 'name',
  isTall: { name: 'is_tall', write: Number, read: Boolean },
  bornIn: { name: 'born_in', type: 'bigint' },
};

const ADA: Person = { name: 'Ada', isTall: true, bornIn: null };

describe('a table of columns', () => {
  const people = tableOf(COLUMNS);

  it('gives every statement all of its columns, in one order', () => {
    expect(people.select).to.equal('name AS "name", is_tall AS "isTall", born_in AS "bornIn"');
    expect(people.insert).to.equal('name, is_tall, born_in');
    expect(people.parameters(3)).to.equal('$3, $4, $5::bigint');
    expect(people.set(['bornIn', 'name'], 2)).to.equal('born_in = $2::bigint, name = $3');
    expect(tableOf(COLUMNS, (place) => `?${place}`).parameters(1)).to.equal('?1, ?2, ?3::bigint');
  });

  it('binds and reads what the database keeps otherwise', () => {
    expect(people.values(ADA)).to.deep.equal(['Ada', 1, null]);
    expect(people.values(ADA, ['bornIn', 'isTall'])).to.deep.equal([null, 1]);
    const row = { name: 'Ada', isTall: 1, bornIn: null, version: 7 };
    expect(people.read(row)).to.deep.equal(ADA);
  });

  it('does not compile with a column missing', () => {
    // @ts-expect-error: nobody would notice until a role is loaded without it.
    const forgetful: Columns<Person> = { name: 'name', isTall: 'is_tall' };
    expect(Object.keys(forgetful)).to.have.lengthOf(2);
  });
});

describe('the members that a save writes', () => {
  it('are those that can change, new ones among them', () => {
    const members = ['id', 'account', 'title', 'size', 'expiresAt', 'mood'] as (keyof Role)[];
    expect(changingMembers({ members })).to.deep.equal(['title', 'expiresAt', 'mood']);
  });
});
