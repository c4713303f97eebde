import type { ArchiveId, Instant } from '@pinfold/core';
import { archiveIdOf, MAX_READ } from '@pinfold/core/adapter';
import { createMemory } from '@pinfold/memory';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Subject } from '../contract.ts';
import { openFiles, SPARE } from '../expect-aborts.ts';
import { START } from '../fixtures/clock.ts';
import { createStagedArchives } from '../fixtures/staged.ts';
import type { ModelOptions } from '../role-store-model/sequences.ts';
import { type Arbitraries, checkSequences, type Sequences, type Step, stepsFor } from '../sequences/run.ts';
import { someOf } from '../sequences/values.ts';
import {
  areAnswersAsTheyWere,
  atOnce,
  type Change,
  type Content,
  type Deed,
  type Door,
  doors,
  LAST_KIND,
  put,
  putInVain,
  type Range,
  read,
  readBeyond,
  readImpossible,
  WHOLE,
  walk,
  walks,
  walkThroughChanges,
} from './deeds.ts';
import { ALONE, aManner, aManneredOnce, type Manner } from './manners.ts';
import type { ArchiveStorageSubject } from './subject.ts';

interface Values {
  readonly ids: readonly ArchiveId[];
  readonly sizes: readonly number[];
}

const oneOf = fc.constantFrom;
const UUIDS = ['0', '1', '9', 'a', 'f'].flatMap((digit) => [
  `${digit.repeat(8)}-0000-4000-8000-000000000000`,
  `00000000-0000-4000-8000-${digit.padStart(12, '0')}`,
  `00000000-0000-4000-8000-${digit.padEnd(12, '0')}`,
]);
const uuidOf = (digit: string): string => [8, 4, 4, 4, 12].map((length) => digit.repeat(length)).join('-');
const idsAt = (moments: readonly number[], uuids: readonly string[]): ArchiveId[] =>
  moments.flatMap((at) => uuids.map((uuid) => archiveIdOf(at as Instant, uuid)));
/** Each list has ids that are nearly one, or that stand in another order elsewhere. */
const IDS = [
  idsAt([START], UUIDS),
  idsAt([START - 1, START, START + 1, START + 10, START + 1_000, START + 1_000_000], UUIDS.slice(2, 5)),
  idsAt([0, 1, 10, 4_294_967_296, 2_147_483_648_000, START, 9_999_999_999_999], UUIDS.slice(2, 4)),
  // The first and the last of all are among them.
  idsAt([0, START, 9_999_999_999_999], [uuidOf('0'), uuidOf('f'), uuidOf('8')]),
];
/** Ids of which each differs from another one by one digit, wherever that stands. */
const NEAR = fc
  .tuple(oneOf(0, 1, START, 4_294_967_296_000, 9_999_999_999_999), fc.uuid(), fc.infiniteStream(fc.nat()))
  .map(([at, uuid, numbers]) => {
    const ids = [archiveIdOf(at as Instant, uuid)];
    const next = (most: number): number => Number(numbers.next().value) % most;
    for (let n = 0; n < 12; n += 1) {
      const digits = [...(ids[next(ids.length)] as ArchiveId)];
      const place = next(digits.length);
      if (digits[place] !== '-') digits[place] = next(place < 13 ? 10 : 16).toString(16);
      ids.push(digits.join('') as ArchiveId);
    }
    return [...new Set([...ids, ...(IDS[0] as ArchiveId[])])].slice(0, 12);
  });
const BLOCKS = [512, 1_024, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144];
const SIZES = [
  ...[0, 1, 2, 3, 100, 100_000],
  ...BLOCKS.flatMap((size) => [size - 1, size, size + 1]),
  ...[-1, 0, 1, 4_097].map((more) => MAX_READ + more),
];
const PLACES = [...SIZES, -1, -2, -512, -4_096, WHOLE];
const LIMITS = [0, 1, 2, 3, 5, 1_000, 1_001, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER];

/** A step whose calls come in a manner. */
const plain = stepsFor<Door, Values>();
const step = <Inputs extends unknown[]>(
  weight: number,
  name: string,
  inputs: (values: Values) => Arbitraries<Inputs>,
  make: (door: Door, ...inputs: Inputs) => Promise<unknown>,
  manner: fc.Arbitrary<Manner> = aManner,
): Step<Door, Values> =>
  plain<[Manner, ...Inputs]>(
    weight,
    name,
    (values) => [manner, ...inputs(values)] as never,
    ({ storage, known }, manner, ...given) =>
      make({ storage: known.inManner(storage, manner), known }, ...given),
  );
const anId = ({ ids }: Values) => oneOf(...ids);
const aContent = ({ sizes }: Values): fc.Arbitrary<Content> =>
  fc.tuple(oneOf(...sizes), fc.nat({ max: LAST_KIND }));
const aRange: fc.Arbitrary<Range> = fc.tuple(oneOf(...PLACES), oneOf(...PLACES));
const aRangeOfNone = oneOf<Range[]>(
  ...[-1, 0.5, Number.NaN, 2 ** 53].map((from): Range => [from, 0]),
  ...[-1, 1.5, Number.NaN, MAX_READ + 1, 2 ** 32].map((length): Range => [0, length]),
  ...[0.5, 1.5].map((half): Range => [half, half]),
);
const aDeed = (values: Values): fc.Arbitrary<Deed> =>
  fc.oneof(
    fc.tuple(oneOf('put' as const), anId(values), aContent(values)),
    fc.tuple(oneOf('read' as const), anId(values), aRange),
    fc.tuple(oneOf('delete' as const, 'delete twice' as const, 'check' as const), anId(values)),
    fc.tuple(oneOf('put in vain' as const), anId(values), aContent(values)),
    fc.tuple(oneOf('aborted' as const), anId(values), oneOf(0, 1, 2)),
  );
const aChange = (values: Values): fc.Arbitrary<Change> =>
  fc.tuple(anId(values), fc.option(aContent(values), { nil: undefined }));
const anEnd = (values: Values): fc.Arbitrary<ArchiveId | undefined> =>
  fc.option(anId(values), { nil: undefined });
const deedsOfEach = (values: Values): fc.Arbitrary<Deed[]> =>
  fc.uniqueArray(aDeed(values), { minLength: 2, maxLength: 6, selector: ([, id]) => id });

const SEQUENCES: Sequences<Door, Values> = {
  reference: async () => {
    const [memory, staged] = [createMemory(), await createStagedArchives()];
    const peer = async () => memory.peer().archives;
    const open = doors({ stage: staged.stage, strew: async () => {}, peer });
    return { port: open(memory.archives), dispose: () => staged.dispose() };
  },
  values: fc.record({
    ids: fc.oneof(oneOf(...IDS), NEAR).chain((near) => someOf(near, 8, 4)),
    sizes: someOf(SIZES, 4).map((some) => [0, ...some]),
  }),
  steps: [
    step(8, 'put', (values) => [anId(values), aContent(values), fc.boolean()], put),
    step(6, 'read', (values) => [anId(values), aRange, fc.boolean()], read),
    step(
      2,
      'read beyond',
      (values) => [anId(values), oneOf(...SIZES), oneOf(1, 2, 5_000)],
      readBeyond,
      aManneredOnce,
    ),
    step(1, 'read impossible', (values) => [anId(values), aRangeOfNone], readImpossible, aManneredOnce),
    step(
      3,
      'delete',
      (values) => [anId(values)],
      ({ storage }, id) => storage.delete(id),
    ),
    step(
      4,
      'at once',
      (values) => [deedsOfEach(values)],
      atOnce,
      // While others change what there is, one question has several answers.
      fc.constant(ALONE),
    ),
    step(
      3,
      'walk',
      (values) => [anEnd(values), oneOf(...LIMITS), fc.subarray([...values.ids], { maxLength: 2 })],
      walk,
    ),
    step(
      1,
      'put in vain',
      (values) => [anId(values), aContent(values), oneOf(0, 0, 1, -1, 512, -512, 65_536, 2 ** 32)],
      putInVain,
      aManneredOnce,
    ),
    step(
      4,
      'walk through changes',
      (values) => [
        anEnd(values),
        oneOf(1, 2, 3, 1_000),
        fc.array(aChange(values), { minLength: 2, maxLength: 8, size: 'max' }),
      ],
      walkThroughChanges,
    ),
    step(
      1,
      'walks',
      (values) => [fc.array(fc.tuple(anEnd(values), oneOf(...LIMITS)), { minLength: 2, maxLength: 4 })],
      walks,
    ),
    step(
      1,
      'see anew',
      (values) => [anId(values)],
      async ({ known }, id) => {
        const storage = await known.peer();
        return [await storage.size(id), await read({ storage, known }, id, [-512, WHOLE], true)];
      },
    ),
    step(
      1,
      'check',
      () => [],
      ({ storage }) => storage.check(),
    ),
    step(
      1,
      'strew',
      () => [],
      ({ known }) => known.strew(),
    ),
  ],
  look: step(
    1,
    'see',
    (values) => [anId(values), anId(values), oneOf(1, 512)],
    async (door, one, other, middle) => ({
      size: await door.storage.size(one),
      // One where the other one ended.
      begins: await read(door, one, [0, middle], true),
      goesOn: await read(door, other, [middle, 4_096], true),
      listed: await walk(door),
      keeps: areAnswersAsTheyWere(door),
    }),
  ),
};

/**
 * Runs random sequences of everything a storage can do, over a port and a peer in turn, beside the storage in memory.
 * Rejects with the shortest sequence found in which the two differ.
 *
 * @param create makes a subject over empty data of its own, as for a contract; called for each run.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { checkArchiveStorageSequences } from '@pinfold/test-contracts';
 * import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
 *
 * const create = async () => {
 *   const [memory, staged] = [createMemory(), await createStagedArchives()];
 *   return {
 *     port: memory.archives,
 *     peer: async () => memory.peer().archives,
 *     stage: staged.stage,
 *     strew: async () => {},
 *     dispose: () => staged.dispose(),
 *   };
 * };
 * await checkArchiveStorageSequences(create, { runs: 2 });
 */
export async function checkArchiveStorageSequences(
  create: () => Promise<Omit<ArchiveStorageSubject, 'unreachable'>>,
  options: ModelOptions = {},
): Promise<void> {
  const opened = async (): Promise<Subject<Door>> => {
    const subject = await create();
    const open = doors({
      stage: (bytes) => subject.stage(bytes),
      strew: () => subject.strew(),
      peer: () => subject.peer(),
    });
    const peer = async () => open(await subject.peer());
    return { port: open(subject.port), peer, dispose: () => subject.dispose() };
  };
  const before = openFiles();
  await checkSequences(SEQUENCES, opened, options);
  expect(openFiles() - before, 'files that calls left open').to.be.below(SPARE);
}
