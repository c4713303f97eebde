import { type ArchiveId, type ArchiveStorage, isFault, type StagedArchive } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import { expect } from 'chai';
import fc from 'fast-check';
import { replacing } from '../around-calls.ts';
import type { Subject } from '../contract.ts';
import { abortedAfter, openFiles, REASONS, SPARE } from '../expect-aborts.ts';
import { createStagedArchives } from '../fixtures/staged.ts';
import { rejectionOf } from '../rejection.ts';
import type { ModelOptions } from '../role-store-model/sequences.ts';
import { alone, checkSequences, questionsFor, type Sequences, stepsFor } from '../sequences/run.ts';
import { expectPage, walkIds } from './stored.ts';
import type { ArchiveStorageSubject } from './subject.ts';
import {
  type Archive,
  anArchive,
  anEnd,
  anId,
  aRange,
  bytesOf,
  LIMITS,
  noRange,
  rangeBeyond,
  reason,
  type Values,
  values,
  within,
} from './values.ts';

const oneOf = fc.constantFrom;

type Place = Pick<ArchiveStorageSubject, 'stage' | 'strew' | 'peer'>;

/** A storage as one of its processes uses it, and what is needed to put archives there. */
interface Door extends ArchiveStorage, Omit<Place, 'peer'> {
  peer(): Promise<Door>;
}

function doors({ peer, ...place }: Place): (storage: ArchiveStorage) => Door {
  const open = (storage: ArchiveStorage): Door =>
    replacing(storage as Door, { ...place, peer: async () => open(await peer()) });
  return open;
}

/** Makes a call that was aborted before, for some reason, and one that is aborted on the way, of which it says what came. */
async function abort<Answer>(call: (signal: AbortSignal) => Promise<Answer>, reason: number) {
  expect(await rejectionOf(call(AbortSignal.abort(REASONS[reason])))).to.equal(REASONS[reason]);
  return await abortedAfter(reason % 4, call);
}

async function put(door: Door, archive: Archive, discards: boolean): Promise<void> {
  const staged = await door.stage(bytesOf(archive));
  await door.put(archive[0], staged);
  if (discards) await staged.discard();
}

/** A staged file that is gone, or not as long as it was; then one whose put is aborted, and the one that is stored. */
async function putInVain(door: Door, archive: Archive, change: number, reason: number): Promise<void> {
  const [id, [size]] = archive;
  const stageAgain = (): Promise<StagedArchive> => door.stage(bytesOf(archive));
  const changed = await stageAgain();
  if (change === 0) await changed.discard();
  const more = size + change < 0 ? 1 : change;
  const fault = await rejectionOf(door.put(id, { ...changed, size: size + more }));
  expect(isFault(fault) ? fault.code : fault, 'a put of what was changed').to.equal('storage_unavailable');
  const aborted = await stageAgain();
  const stored = await abort((signal) => door.put(id, aborted, signal), reason);
  const found = await door.size(id);
  if (stored !== undefined) expect(found, 'the size of what was put').to.equal(size);
  if (found === undefined) await put(door, archive, true);
}

/**
 * Pages between which archives come and go: each page has what is there when it is asked for. Answers those that were
 * there all the time.
 */
async function walkThroughChanges(
  door: Door,
  after: ArchiveId | undefined,
  limit: number,
  changes: readonly (Archive | ArchiveId)[],
): Promise<ArchiveId[]> {
  const other = await door.peer();
  const left = [...changes];
  const changeSome = async (most: number): Promise<void> => {
    for (const change of left.splice(0, most)) {
      if (typeof change === 'string') await other.delete(change);
      else await put(other, change, true);
    }
  };
  let last = after;
  const between = async (page: readonly ArchiveId[]): Promise<void> => {
    expectPage(page, await walkIds(other, 1_000, undefined, last), 'a page');
    last = page.at(-1);
    await changeSome(2);
  };
  const ids = await walkIds(door, limit, between, after);
  expect(await walkIds(other, 1_000, undefined, last), 'behind the end').to.deep.equal([]);
  // However many pages there were, the same is left.
  await changeSome(left.length);
  const changed = changes.map((change) => (typeof change === 'string' ? change : change[0]));
  return ids.filter((id) => !changed.includes(id));
}

const step = stepsFor<Door, Values>();
const question = questionsFor<Door, Values>();

const SEQUENCES: Sequences<Door, Values> = {
  reference: async () => {
    const [memory, staged] = [createMemory(), await createStagedArchives()];
    const peer = async () => memory.peer().archives;
    const open = doors({ stage: staged.stage, strew: async () => {}, peer });
    return { port: open(memory.archives), dispose: () => staged.dispose() };
  },
  values,
  steps: [
    step(
      8,
      'put',
      (values) => [anArchive(values), fc.boolean()],
      put,
      ([id]) => id,
    ),
    alone(
      step(
        2,
        'put in vain',
        (values) => [anArchive(values), oneOf(0, 0, 1, -1, 512, -512, 65_536, 2 ** 32), reason],
        putInVain,
        ([id]) => id,
      ),
    ),
    question(3, 'size', (values) => [anId(values)]),
    question(6, 'read', aRange),
    step(2, 'read beyond', rangeBeyond, (door, ...range) =>
      door.read(...range).then(
        (bytes) => (bytes === undefined ? 'absent' : 'read'),
        () => 'rejected',
      ),
    ),
    step(1, 'read impossible', noRange, async (door, ...range) => {
      const error = await door.read(...range).catch((reason: unknown) => reason);
      // What is absent may be told first.
      return error === undefined || error instanceof TypeError;
    }),
    step(
      3,
      'delete',
      (values) => [anId(values), reason],
      async (door, id, n) => {
        await abort((signal) => door.delete(id, signal), n);
        await door.delete(id);
      },
    ),
    question(1, 'check', () => []),
    alone(
      step(
        1,
        'strew',
        () => [],
        (door) => door.strew(),
      ),
    ),
    alone(
      step(
        3,
        'walk',
        (values) => [anEnd(values), oneOf(...LIMITS), reason],
        async (door, after, limit, n) => {
          await abort((signal) => door.list(after, limit, signal), n);
          return await walkIds(door, limit, undefined, after);
        },
      ),
    ),
    alone(
      step(
        4,
        'walk through changes',
        (values) => [
          anEnd(values),
          oneOf(1, 2, 3, 1_000),
          fc
            .array(anId(values), { minLength: 2, maxLength: 6, size: 'max' })
            .chain((gone) => fc.shuffledSubarray([...gone, ...values.late], { minLength: 2 })),
        ],
        walkThroughChanges,
        () => 'late archives',
      ),
    ),
  ],
  look: step(
    1,
    'see',
    ({ archives, late }) => [fc.constant([...archives, ...late]), oneOf(0, 1, 512)],
    async (door, archives, middle) => ({
      listed: await walkIds(door, 1_000),
      archives: await Promise.all(
        archives.map(async (archive) => ({
          size: await door.size(archive[0]),
          begin: await door.read(archive[0], ...within(archive, [0, middle])),
          rest: await door.read(archive[0], ...within(archive, [middle, 4_096])),
        })),
      ),
    }),
  ),
  holds: (door) => walkIds(door, 1_000),
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
