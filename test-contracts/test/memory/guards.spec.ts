import {
  all,
  type Database,
  defineProgram,
  defineQuery,
  defineTable,
  find,
  get,
  insert,
  max,
  oneOf,
  type RecordTable,
  remove,
  type Step,
  type Steps,
  text,
  unlocked,
  update,
} from '@pinfold/core/records';
import { createMemoryDatabase } from '@pinfold/memory';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

interface Pet {
  readonly name: string;
  readonly owner: string;
  readonly chip: string;
}

const PETS: RecordTable<Pet, 'name'> = defineTable({
  name: 'pets',
  columns: { name: text, owner: text, chip: text },
  key: ['name'],
  guards: ({ owner, chip }) => [
    ...(owner === undefined ? [] : [`owner ${owner}`]),
    ...(chip === undefined ? [] : [`chip ${chip}`]),
  ],
});

const REX: Pet = { name: 'Rex', owner: 'Ada', chip: '1' };
const BOTH = ['owner Ada', 'chip 1'];

/** The outcome of a program that holds some locks: `done`, or why it failed. */
async function outcomeOf(
  exclusive: readonly string[],
  shared: readonly string[],
  ...steps: readonly Step<unknown>[]
): Promise<string> {
  const database: Database = createMemoryDatabase({ tables: [PETS], programs: [] });
  const add = defineProgram('pets.add', { locks: () => ({ exclusive: BOTH }), run: () => insert(PETS, REX) });
  await database.write(add, undefined);
  const program = defineProgram('pets.try', {
    locks: () => ({ exclusive, shared }),
    *run(): Steps<void> {
      yield* all(...steps);
    },
  });
  return database.write(program, undefined).then(
    () => 'done',
    (error: Error) => String((error.cause as Error).message),
  );
}

describe('the database in memory', () => {
  const byName = get(PETS, { name: 'Rex' });
  const ofAda = find(PETS, { owner: 'Ada' });

  it('lets a program read a row under any of its locks', async () => {
    for (const lock of BOTH) {
      expect(await outcomeOf([lock], [], byName)).to.equal('done');
      expect(await outcomeOf([], [lock], byName)).to.equal('done');
    }
    expect(await outcomeOf(['owner Eve'], ['chip 2'], byName)).to.include('reads pets without the lock');
  });

  it('lets a program find rows under the lock that follows from its conditions, or by their keys', async () => {
    expect(await outcomeOf([], ['owner Ada'], ofAda, max(PETS, { owner: 'Ada' }, 'chip'))).to.equal('done');
    expect(await outcomeOf([], ['chip 1'], ofAda)).to.include('reads pets');
    expect(await outcomeOf([], ['chip 1'], find(PETS, { name: oneOf(['Rex', 'Tom']) }))).to.equal('done');
    expect(await outcomeOf([], BOTH, find(PETS, {}))).to.include('reads pets');
  });

  it('lets a program write a row that holds all of its locks exclusively, before and after', async () => {
    expect(await outcomeOf(BOTH, [], update(PETS, { name: 'Rex' }, {}))).to.equal('done');
    expect(await outcomeOf(BOTH, [], remove(PETS, { name: 'Rex' }))).to.equal('done');
    expect(await outcomeOf(['owner Ada'], ['chip 1'], update(PETS, { name: 'Rex' }, {}))).to.include(
      'writes',
    );
    expect(await outcomeOf(['chip 1'], [], remove(PETS, { name: 'Rex' }))).to.include('writes');
    const sold = update(PETS, { name: 'Rex' }, { owner: 'Eve' });
    expect(await outcomeOf(BOTH, [], sold)).to.include('writes pets without the lock that guards it: owner');
    expect(await outcomeOf([...BOTH, 'owner Eve'], [], sold)).to.equal('done');
  });

  it('lets a program do without locks what it declares as unlocked', async () => {
    expect(await outcomeOf([], [], unlocked(byName), unlocked(find(PETS, {})))).to.equal('done');
  });

  it('names no value in the message about a forgotten lock', async () => {
    expect(await outcomeOf([], [], byName)).to.not.match(/Rex|Ada/);
  });

  it('refuses arguments and results that cannot be sent to a thread', async () => {
    const database = createMemoryDatabase({ tables: [PETS], programs: [] });
    const echo = defineProgram('pets.echo', {
      *run({ isGiven }: { readonly isGiven: unknown }): Steps<unknown> {
        yield* all();
        return isGiven === true ? () => 1 : undefined;
      },
    });
    for (const isGiven of [() => 1, true]) {
      const reason = await rejectionOf(database.write(echo, { isGiven }));
      expect((reason as Error).name).to.equal('DataCloneError');
    }
  });

  it('lets other work run while a caller reads snapshots without end', async () => {
    const database = createMemoryDatabase({ tables: [PETS], programs: [] });
    const query = defineQuery('pets.of-ada', () => ofAda);
    let isTurn = false;
    setImmediate(() => {
      isTurn = true;
    });
    for (let n = 0; n < 10_000 && !isTurn; n += 1) await database.snapshot(query, undefined);
    expect(isTurn).to.equal(true);
  });
});
