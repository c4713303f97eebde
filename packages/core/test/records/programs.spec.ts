import { expect } from 'chai';
import {
  all,
  byName,
  defineProgram,
  defineQuery,
  defineTable,
  find,
  get,
  insert,
  integer,
  isWrite,
  locksInOrder,
  MAX_LOCKS,
  nothing,
  type RecordTable,
  remove,
  runAtOnce,
  runByPromises,
  type Step,
  StepError,
  type Steps,
  type TableAction,
  text,
  together,
  unlocked,
  update,
} from '../../src/records.ts';

interface Book {
  readonly isbn: string;
  readonly pages: number;
}

const BOOKS: RecordTable<Book, 'isbn'> = defineTable({
  name: 'books',
  columns: { isbn: text, pages: integer },
  key: ['isbn'],
  guards: undefined,
});

function* pagesOf(...isbns: readonly string[]): Steps<number, 'read'> {
  let pages = 0;
  for (const isbn of isbns) pages += (yield* get(BOOKS, { isbn }))?.pages ?? 0;
  return pages;
}

/** Runs steps over books with as many pages as their number; `trips` has the number of actions in each step. */
function runOnBooks<Result>(steps: Steps<Result>): {
  readonly result: Result;
  readonly trips: readonly number[];
} {
  const trips: number[] = [];
  const answerOf = ({ action }: Step<unknown>): unknown => {
    if (action.kind === 'all') return action.steps.map(answerOf);
    return action.kind === 'get' ? { pages: Number(action.key.isbn) } : undefined;
  };
  let next = steps.next();
  while (next.done !== true) {
    trips.push(next.value.action.kind === 'all' ? next.value.action.steps.length : 1);
    next = steps.next(answerOf(next.value));
  }
  return { result: next.value, trips };
}

const failing = defineProgram('books.fail', {
  *run({ isbn }: { readonly isbn: string }) {
    yield* get(BOOKS, { isbn });
    yield* insert(BOOKS, { isbn, pages: 1 });
    return 'never';
  },
});

function failInserts(action: TableAction): undefined {
  if (action.kind === 'insert') throw new Error('the disk is full');
  return undefined;
}

function stepErrorOf(work: () => unknown): StepError {
  try {
    work();
  } catch (error) {
    if (error instanceof StepError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('the parts of a program', () => {
  it('send simultaneous steps together', () => {
    const { result, trips } = runOnBooks(together(pagesOf('1', '2', '3'), pagesOf('10', '20'), nothing));
    expect(result).to.deep.equal([6, 30, undefined]);
    expect(trips).to.deep.equal([3, 2, 1]);
  });

  it('send nothing if there are none', () => {
    expect(runOnBooks(together())).to.deep.equal({ result: [], trips: [] });
    expect(runAtOnce('test', all()[Symbol.iterator](), failInserts)).to.deep.equal([]);
  });

  it('are answered in their order, nested and by promises, too', async () => {
    const isbns = ['1', '2', '3'];
    const nested = all(all(...isbns.map((isbn) => get(BOOKS, { isbn }))), nothing, find(BOOKS, {}));
    const answer = async (action: TableAction): Promise<unknown> =>
      action.kind === 'get' ? action.key.isbn : action.kind;
    const result = await runByPromises('test', nested[Symbol.iterator](), answer);
    expect(result).to.deep.equal([isbns, undefined, 'find']);
  });

  it('are unlocked with the step that joins them, and only then', () => {
    const seen: boolean[] = [];
    const steps = all(unlocked(all(get(BOOKS, { isbn: '1' }), find(BOOKS, {}))), find(BOOKS, {}));
    runAtOnce('test', steps[Symbol.iterator](), (_, isUnlocked) => seen.push(isUnlocked));
    expect(seen).to.deep.equal([true, true, false]);
  });

  it('need no answer if they only write', () => {
    const writes = [insert(BOOKS, { isbn: '1', pages: 1 }), update(BOOKS, { isbn: '1' }, {})];
    expect([...writes, all(...writes), remove(BOOKS, { isbn: '1' })].map(isWrite)).to.not.include(false);
    expect([find(BOOKS, {}), nothing, all(), all(...writes, find(BOOKS, {}))].map(isWrite)).to.not.include(
      true,
    );
  });
});

describe('a step that fails', () => {
  it('names program, step, table and columns, and no value', () => {
    const error = stepErrorOf(() =>
      runAtOnce(failing.name, failing.run({ isbn: '0-19-852663-6' }), failInserts),
    );
    expect({ ...error }).to.deep.include({
      program: 'books.fail',
      step: 'insert',
      table: 'books',
      columns: ['isbn'],
    });
    expect(error.message).to.equal('books.fail: insert in books (isbn) failed');
    expect(`${error.message} ${error.stack}`).to.not.include('0-19');
    expect((error.cause as Error).message).to.equal('the disk is full');
  });

  it('keeps its place when a later step rejects with its error', () => {
    const write = stepErrorOf(() => runAtOnce(failing.name, failing.run({ isbn: '1' }), failInserts));
    const later = stepErrorOf(() =>
      runAtOnce(failing.name, failing.run({ isbn: '1' }), () => {
        throw write;
      }),
    );
    expect({ ...later, cause: later.cause }).to.deep.equal({ ...write, cause: write.cause });
  });

  it('shows the line of its program, even if the database answers with promises', async () => {
    const error = stepErrorOf(() => runAtOnce(failing.name, failing.run({ isbn: '1' }), failInserts));
    expect(error.stack).to.match(/run[^\n]*programs\.spec\.ts/);
    const later = await runByPromises(failing.name, failing.run({ isbn: '1' }), async (action) =>
      failInserts(action),
    ).catch((reason: unknown) => reason);
    expect((later as Error).stack).to.match(/run[^\n]*programs\.spec\.ts/);
    expect((later as StepError).step).to.equal('insert');
  });

  it('fails only after the other actions of the same step have ended', async () => {
    let isOver = false;
    const steps = all(insert(BOOKS, { isbn: '1', pages: 1 }), find(BOOKS, {}));
    await runByPromises('test', steps[Symbol.iterator](), async (action) => {
      failInserts(action);
      await Promise.resolve();
      isOver = true;
    }).catch(() => undefined);
    expect(isOver).to.equal(true);
  });

  it('reports a program that was delegated to by yield, not by yield*', () => {
    const steps = (function* () {
      yield pagesOf('1');
    })();
    expect(() => runAtOnce('books.odd', steps as unknown as Steps<void>, failInserts)).to.throw(
      TypeError,
      'books.odd yielded something that is not a step',
    );
  });
});

describe('a program', () => {
  it('takes its locks in one order, and one that is both shared and exclusive exclusively', () => {
    const locks = locksInOrder({ exclusive: ['b', 'a', 'b'], shared: ['c', 'a', '0'] });
    expect(locks).to.deep.equal([
      { name: '0', isShared: true },
      { name: 'a', isShared: false },
      { name: 'b', isShared: false },
      { name: 'c', isShared: true },
    ]);
  });

  it('takes at most a hundred locks', () => {
    const names = Array.from({ length: MAX_LOCKS }, (_, n) => `${n}`);
    expect(locksInOrder({ exclusive: names })).to.have.length(MAX_LOCKS);
    expect(() => locksInOrder({ exclusive: names, shared: ['one more'] })).to.throw(RangeError);
  });

  it('is found by its name, which no other one may have', () => {
    const query = defineQuery('books.find', (isbn: string) => get(BOOKS, { isbn }));
    expect(byName([failing, query]).get('books.find')).to.equal(query);
    expect(() => byName([query, failing, { ...query }])).to.throw(TypeError, 'books.find');
  });
});
