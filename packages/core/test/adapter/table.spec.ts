import { expect } from 'chai';
import { type Stored, tableOf } from '../../src/adapter/table.ts';
import { type ColumnTypes, changingMembers, NO_LIMITS, recordTables, type Table } from '../../src/adapter.ts';

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

describe('the tables of records', () => {
  const types: ColumnTypes = {
    integer: (name) => ({ name, type: 'integer' }),
    flag: (name) => ({ name, type: 'flag' }),
  };
  const { roles, accounts, apiKeys, sessions, events, views, consents } = recordTables(types);

  /** The columns with the types of their parameters. */
  function columnsOf({ insert, parameters }: Pick<Table<unknown>, 'insert' | 'parameters'>): string {
    const typed = parameters(1).split(', ');
    const named = insert.split(', ').map((name, n) => name + typed[n]?.replace(/^\$\d+(?:::)?/, ' '));
    return named.map((column) => column.trim()).join(', ');
  }

  it('have whole numbers, flags and texts as the database has them', () => {
    expect(columnsOf(roles)).to.match(/^id, account, .*size integer, .*pinned flag, .*generation integer$/);
    expect(columnsOf(apiKeys)).to.equal(
      'id, account, scopes, label, secret_hash, created_at integer, revoked_at integer, ensured flag, ' +
        'last_used_at integer',
    );
    expect(columnsOf(events)).to.equal(
      'id, at integer, type, account, pin, name, actor, request, address, as_operator flag, recorded_at integer',
    );
    expect(columnsOf(views)).to.equal('role, day integer, views integer, refused_passwords integer');
    expect(columnsOf(sessions)).to.match(/^token_hash, .*started_at integer/);
  });

  it('have lists and other objects as JSON, null among them', () => {
    const actor = { kind: 'system', id: null };
    expect(consents.values({ scopes: ['admin'], actor } as never, ['scopes', 'actor'])).to.deep.equal([
      '["admin"]',
      '{"kind":"system","id":null}',
    ]);
    expect(
      accounts.values({ limits: NO_LIMITS, blocked: null } as never, ['limits', 'blocked']),
    ).to.deep.equal([JSON.stringify(NO_LIMITS), 'null']);
    expect(() => consents.read({ scopes: '{}', actor: '{}' } as never)).to.throw('a list in the database');
  });
});

describe('the members that a save writes', () => {
  it('are those that a command may change', () => {
    const members = ['id', 'account', 'title', 'size', 'expiresAt', 'pinned'] as const;
    expect(changingMembers({ members })).to.deep.equal(['title', 'expiresAt', 'pinned']);
  });
});
