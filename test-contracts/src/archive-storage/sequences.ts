import type { ArchiveStorage } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import { expect } from 'chai';
import fc from 'fast-check';
import { replacing } from '../around-calls.ts';
import type { Subject } from '../contract.ts';
import { filesLeftOpen, openFiles, SPARE } from '../expect-aborts.ts';
import { createStagedArchives } from '../fixtures/staged.ts';
import {
  alone,
  checkSequences,
  type ModelOptions,
  methodsFor,
  questionsFor,
  type Sequences,
  stepsFor,
} from '../sequences/run.ts';
import { walkIds } from './stored.ts';
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
  type Values,
  values,
  within,
} from './values.ts';

const oneOf = fc.constantFrom;

/** A storage as one of its processes uses it, and what is needed to put archives there. */
type Door = ArchiveStorage & Pick<ArchiveStorageSubject, 'stage' | 'strew'>;

async function put(door: Door, archive: Archive, discards: boolean): Promise<void> {
  const staged = await door.stage(bytesOf(archive));
  await door.put(archive[0], staged);
  if (discards) await staged.discard();
}

const step = stepsFor<Door, Values>();
const call = methodsFor<Door, Values>();
const question = questionsFor<Door, Values>();

const SEQUENCES: Sequences<Door, Values> = {
  reference: async () => {
    const [memory, staged] = [createMemory(), await createStagedArchives()];
    const port = replacing<Door>(memory.archives as Door, { stage: staged.stage, strew: async () => {} });
    return { port, dispose: () => staged.dispose() };
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
      // A storage may check first whether the archive is absent.
      return error === undefined || error instanceof TypeError;
    }),
    call(3, 'delete', (values) => [anId(values)]),
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
        (values) => [anEnd(values), oneOf(...LIMITS)],
        (door, after, limit) => walkIds(door, limit, undefined, after),
      ),
    ),
  ],
  read: step(
    1,
    'see',
    ({ archives }) => [fc.constant(archives), oneOf(0, 1, 512)],
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
    const { stage, strew } = subject;
    const open = (storage: ArchiveStorage): Door =>
      replacing(storage as Door, { stage: stage.bind(subject), strew: strew.bind(subject) });
    const peer = async () => open(await subject.peer());
    return { port: open(subject.port), peer, dispose: () => subject.dispose() };
  };
  const before = openFiles();
  await checkSequences(SEQUENCES, opened, options);
  expect(await filesLeftOpen(before), 'files that calls left open').to.be.below(SPARE);
}
