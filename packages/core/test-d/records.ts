import type { AccountId, Instant, RoleId } from '../src/index.ts';
import {
  all,
  type Database,
  defineLookup,
  defineProgram,
  defineQuery,
  defineTable,
  find,
  get,
  getWith,
  gt,
  insert,
  integer,
  nullable,
  oneOf,
  type RecordTable,
  remove,
  type Steps,
  scan,
  sequence,
  text,
  together,
  update,
} from '../src/records.ts';

type Equals<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

function holds<_Claim extends true>(): void {}

interface Person {
  readonly name: AccountId;
  readonly bornAt: Instant | null;
}
interface Letter {
  readonly id: RoleId;
  readonly from: AccountId;
  readonly readAt: Instant | null;
  readonly number: number;
}

const PEOPLE: RecordTable<Person, 'name'> = defineTable({
  name: 'people',
  columns: { name: text, bornAt: nullable(integer) },
  key: ['name'],
  guards: ({ name }) => (name === undefined ? [] : [name]),
});
const LETTERS: RecordTable<Letter, 'id', { readonly from: Person }, 'number'> = defineTable({
  name: 'letters',
  columns: { id: text, from: text, readAt: nullable(integer), number: sequence },
  key: ['id'],
  references: { from: () => PEOPLE },
  guards: undefined,
});

// Each member of a row has a column of its type, and nothing else has one.
const people = { name: 'people', key: ['name'], guards: undefined } as const;
export const lacking: RecordTable<Person, 'name'> = defineTable({
  ...people,
  // @ts-expect-error a member without a column
  columns: { name: text },
});
export const never: RecordTable<Person, 'name'> = defineTable({
  ...people,
  // @ts-expect-error a column that cannot be null for a member that can
  columns: { name: text, bornAt: integer },
});
export const another: RecordTable<Person, 'name'> = defineTable({
  ...people,
  // @ts-expect-error a column of another type
  columns: { name: integer, bornAt: nullable(integer) },
});
export const more: RecordTable<Person, 'name'> = defineTable({
  ...people,
  // @ts-expect-error a column without a member
  columns: { name: text, bornAt: nullable(integer), age: integer },
});

declare const now: Instant;
declare const ids: readonly RoleId[];

// Results are inferred.
const answer = defineProgram('letters.answer', {
  locks: ({ to }: { readonly id: RoleId; readonly to: AccountId }) => ({ exclusive: [to] }),
  *run({ id, to }) {
    const letter = yield* get(LETTERS, { id });
    holds<Equals<typeof letter, Letter | undefined>>();
    if (letter === undefined) return { kind: 'unknown' };
    const [joined, rows] = yield* all(
      getWith(LETTERS, { id }, { from: ['bornAt'] }, ['readAt']),
      find(LETTERS, { id: oneOf(ids), readAt: gt(now) }, { select: ['readAt'] }),
    );
    holds<Equals<NonNullable<typeof joined>['row'], Pick<Letter, 'readAt'>>>();
    holds<Equals<NonNullable<typeof joined>['references']['from'], Pick<Person, 'bornAt'> | undefined>>();
    holds<Equals<typeof rows, readonly Pick<Letter, 'readAt'>[]>>();
    const [isBorn, person] = yield* together(born(to), get(PEOPLE, { name: to }));
    holds<Equals<typeof isBorn, boolean>>();
    holds<Equals<typeof person, Person | undefined>>();
    const { scannedTo } = yield* scan(
      LETTERS,
      { from: to },
      { readAt: null },
      { order: ['number', 'id'], after: { number: 1, id }, limit: 1, maxScanned: 9, mayScanMore: false },
    );
    holds<Equals<typeof scannedTo, Pick<Letter, 'id' | 'number'> | undefined>>();
    yield* update(LETTERS, { id }, { readAt: now });
    return { kind: 'answered', id };
  },
});

function* born(name: AccountId): Steps<boolean, 'read'> {
  const person = yield* get(PEOPLE, { name });
  return person !== undefined;
}

const findLetter = defineQuery('letters.find', (id: RoleId) => get(LETTERS, { id }));
const senders = defineLookup('letters.sender', {
  table: LETTERS,
  by: 'id',
  select: ['id'],
  references: { from: ['bornAt'] },
  make: ({ references }) => references.from?.bornAt,
});

declare const database: Database;
export async function results(id: RoleId, to: AccountId): Promise<void> {
  const answered = await database.write(answer, { id, to });
  holds<Equals<(typeof answered)['kind'], 'answered' | 'unknown'>>();
  const letter = await database.read(findLetter, id);
  holds<Equals<typeof letter, Letter | undefined>>();
  const bornAt = await database.peek(senders, id);
  holds<Equals<typeof bornAt, Instant | null | undefined>>();
  // @ts-expect-error a query is not a program: it has no locks
  await database.write(findLetter, id);
  // @ts-expect-error a program is not a query: it writes
  await database.read(answer, { id, to });
}

// Steps know their table.
// @ts-expect-error the key is not whole
get(LETTERS, {});
// @ts-expect-error a member that letters do not have
get(LETTERS, { id: ids[0] as RoleId }, ['sender']);
// @ts-expect-error a member that people do not have
getWith(LETTERS, { id: ids[0] as RoleId }, { from: ['sender'] });
// @ts-expect-error no such member
find(LETTERS, { author: 'x' });
// @ts-expect-error a member of another type
find(LETTERS, { readAt: 'x' });
// @ts-expect-error it refers to nothing
getWith(LETTERS, { id: ids[0] as RoleId }, ['readAt']);
// @ts-expect-error the engine assigns the number
insert(LETTERS, { id: ids[0] as RoleId, from: 'x' as AccountId, readAt: null, number: 1 });
// @ts-expect-error a key does not change
update(PEOPLE, { name: 'x' as AccountId }, { name: 'y' as AccountId });
export const writing: unknown = defineQuery(
  'letters.drop',
  // @ts-expect-error a query does not write
  (id: RoleId) => remove(LETTERS, { id }),
);
