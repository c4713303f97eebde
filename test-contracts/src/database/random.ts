import type { Database } from '@pinfold/core/records';
import { createMemoryDatabase } from '@pinfold/memory';
import { expect } from 'chai';
import fc from 'fast-check';
import { inWords } from '../assertion-message.ts';
import type { StoreSubject } from '../contract.ts';
import { ASK, type Command, LIBRARY, RUN, type Work } from './commands.ts';
import { aBook, isbnOf, type NewBook } from './tables.ts';

/** Options of random programs. */
export interface RandomProgramOptions {
  /** The number of databases, each with up to 25 programs. Default 100. */
  readonly runs?: number;
  /** Repeats a run whose failure names it. */
  readonly seed?: number;
}

interface CheckOptions extends RandomProgramOptions {
  /** Whether to report the first failing programs, rather than search for fewer ones. */
  readonly endOnFailure?: boolean;
}

const SHELVES = ['A', 'B', 'C'];
const TEXTS = ['', 'a', 'A', 'a ', 'aa', '\u00e1', '\uffee', '\u{1f9ed}', '%', '_'];
const NUMBERS = [-1, 0, 1, 2, 7];

const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(...NUMBERS);
/** Too large for sums. */
const great = fc.constantFrom(...NUMBERS, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const isbn = fc.integer({ min: 0, max: 6 }).map(isbnOf);
const shelf = fc.constantFrom(...SHELVES);

const members = {
  shelf,
  title: text,
  code: maybe(text),
  pages: number,
  lentAt: maybe(great),
  dueAt: maybe(number),
  isRare: fc.boolean(),
  tags: fc.array(fc.constantFrom<unknown>(null, 1, 'x', { y: [] }), { maxLength: 2 }),
};
const book: fc.Arbitrary<NewBook> = fc
  .tuple(isbn, fc.record(members))
  .map(([own, rest]) => aBook(0, { isbn: own, ...rest }));

const comparison = fc.oneof(
  fc.record({ operator: fc.constantFrom('lt', 'lte', 'gt', 'gte'), operand: great }),
  fc.record({ operator: fc.constantFrom('lt', 'gte'), column: fc.constant('dueAt') }),
  fc.constant({ operator: 'not_null' }),
);
const conditions = fc.record(
  {
    shelf: fc.oneof(shelf, fc.record({ operator: fc.constant('in'), operand: fc.subarray(SHELVES) })),
    title: fc.oneof(
      text,
      fc.record({ operator: fc.constant('contains'), operand: text }),
      fc.record({ operator: fc.constantFrom('lt', 'gte'), operand: text }),
    ),
    lentAt: fc.oneof(
      maybe(number),
      comparison,
      fc.tuple(comparison, comparison).map((both) => [...both]),
    ),
    isRare: fc.boolean(),
  },
  { requiredKeys: [] },
);
const where = fc.oneof(
  conditions,
  fc
    .tuple(conditions, fc.array(conditions, { minLength: 1, maxLength: 3 }))
    .map(([all, either]) => ({ ...all, either })),
);
const place = fc.record({ pages: number, isbn });
const sorted = fc.record(
  {
    order: fc.constant(['pages', 'isbn']),
    descending: fc.boolean(),
    after: place,
    limit: fc.integer({ min: 0, max: 8 }),
    offset: fc.integer({ min: 0, max: 3 }),
  },
  { requiredKeys: ['order', 'limit'] },
);
/** The columns that do not depend on how often a program was retried. */
const ALIKE = Object.keys(aBook(0));

const reading: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant('find'),
    where,
    range: sorted.map((range) => ({ ...range, select: ALIKE })),
  }),
  fc.record({
    kind: fc.constant('scan'),
    where,
    filter: where,
    range: fc
      .tuple(sorted, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
      .map(([{ offset: _, ...range }, limit, maxScanned]) => ({
        ...range,
        limit,
        maxScanned,
        mayScanMore: false,
        select: ALIKE,
      })),
  }),
  fc.record({ kind: fc.constant('aggregate'), where, sum: fc.constantFrom('pages', 'dueAt') }),
  fc.record({ kind: fc.constant('max'), where, column: fc.constantFrom('pages', 'lentAt') }),
  fc.record({
    kind: fc.constant('distinct'),
    where,
    column: fc.constantFrom('code', 'title', 'shelf'),
    range: fc.record({ after: text, limit: fc.integer({ min: 1, max: 5 }) }, { requiredKeys: ['limit'] }),
  }),
) as fc.Arbitrary<Command>;
const { shelf: _, ...changeable } = members;
const writing: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('insert'), row: book }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('update'),
      key: fc.record({ isbn }),
      changes: fc
        .record({ ...changeable, shelf }, { requiredKeys: [] })
        .filter((changes) => Object.keys(changes).length > 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), key: fc.record({ isbn }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('upsert'),
      row: fc.record({ name: shelf, label: maybe(text), size: number }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add pages'), isbn, pages: fc.constant(1) }) },
) as fc.Arbitrary<Command>;
const commands = fc.array(fc.oneof(writing, reading), { minLength: 1, maxLength: 6 });
const program: fc.Arbitrary<Work> = commands.map((own) => ({
  commands: own,
  shelves: SHELVES,
  isUnlocked: true,
}));

/** The outcome of a call: the results of its commands, or its error. */
type Outcome = readonly unknown[] | Error;

async function outcomeOf(call: Promise<readonly unknown[]>): Promise<Outcome> {
  return call.catch((error: Error) => error);
}

/** Fails with the first command whose result differs from memory. */
function expectAlike(commands: readonly Command[], result: Outcome, expected: Outcome): void {
  if (result instanceof Error && expected instanceof Error) return;
  const program = JSON.stringify(commands);
  if (result instanceof Error) throw new Error(`${program} failed, and not in memory`, { cause: result });
  if (expected instanceof Error)
    throw new Error(`${program} did not fail, and does in memory`, { cause: expected });
  for (const [n, command] of commands.entries())
    expect(result[n], JSON.stringify(command)).to.deep.equal(expected[n]);
}

const EVERYTHING: readonly Command[] = [
  { kind: 'find', range: { order: ['isbn'], select: ALIKE } },
  { kind: 'find', table: 'shelves', range: { order: ['name'] } },
];

/**
 * Runs random programs on a database and on the one in memory, and fails if their results differ. Numbers of a
 * sequence are not compared.
 */
export async function checkRandomPrograms(
  open: () => Promise<StoreSubject<Database>>,
  { runs = 100, seed, endOnFailure = false }: CheckOptions = {},
): Promise<void> {
  const property = fc.asyncProperty(fc.array(program, { minLength: 1, maxLength: 25 }), async (programs) => {
    const subject = await open();
    const memory = createMemoryDatabase(LIBRARY);
    try {
      for (const work of programs) {
        const result = await outcomeOf(subject.port.write(RUN, work));
        expectAlike(work.commands, result, await outcomeOf(memory.write(RUN, work)));
      }
      const result = await subject.port.read(ASK, { commands: EVERYTHING });
      expectAlike(EVERYTHING, result, await memory.read(ASK, { commands: EVERYTHING }));
    } finally {
      await subject.dispose();
    }
  });
  const run = await fc.check(property, {
    numRuns: runs,
    endOnFailure,
    // Makes fewer runs if opening is slow.
    interruptAfterTimeLimit: 60_000,
    ...(seed === undefined ? {} : { seed }),
  });
  if (!run.failed) return;
  const cause = inWords(run.errorInstance);
  const programs = (run.counterexample?.[0] ?? []).map(({ commands }) => `  ${JSON.stringify(commands)}`);
  const lines = [
    cause instanceof Error ? cause.message : String(cause),
    `It failed after these programs, and fails again with the seed ${run.seed}:`,
    ...programs,
  ];
  throw new Error(lines.join('\n'), { cause });
}
