import type { ArchiveId, ArchiveStorage } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import { expect } from 'chai';
import fc from 'fast-check';
import { replacing } from '../around-calls.ts';
import { filesLeftOpen, openFiles, SPARE } from '../expect-aborts.ts';
import { createStagedArchives } from '../fixtures/staged.ts';
import type { ArchiveStorageSubject } from './contract.ts';
import { walkIds } from './stored.ts';
import {
  type Archive,
  anArchive,
  anEnd,
  anId,
  aRange,
  bytesOf,
  LIMITS,
  type Values,
  values,
  within,
} from './values.ts';

/** Options of random sequences. */
export interface ModelOptions {
  /** The number of random runs. Default 100. */
  readonly runs?: number;
  /** The seed of the random values: the seed of a failed run repeats it. */
  readonly seed?: number;
  /** Whether to search for a shorter failing sequence, for about 20 s. Default true. */
  readonly shortest?: boolean;
}

/** A handle of a storage, with the functions that put archives into it. */
type Handle = ArchiveStorage & Pick<ArchiveStorageSubject, 'stage' | 'strew'>;

/** The handles of a storage, and the storage in memory that has the right answers. */
interface Sides {
  readonly handles: readonly Handle[];
  readonly reference: Handle;
}

/** The ids that a sequence has used: each is put once. */
type Model = Set<ArchiveId>;

/** How long to look for a shorter failing sequence, in milliseconds. */
const SHORTENED_FOR = 20_000;

const oneOf = fc.constantFrom;

/** A call of one handle, whose answer must be that of the reference. */
class Call implements fc.AsyncCommand<Model, Sides> {
  readonly #name: string;
  readonly #ask: (target: Handle) => Promise<unknown>;
  readonly #handle: number;
  readonly #puts: ArchiveId | undefined;

  constructor(name: string, ask: (target: Handle) => Promise<unknown>, handle: number, puts?: ArchiveId) {
    this.#name = name;
    this.#ask = ask;
    this.#handle = handle;
    this.#puts = puts;
  }

  check(put: Readonly<Model>): boolean {
    return this.#puts === undefined || !put.has(this.#puts);
  }

  async run(put: Model, { handles, reference }: Sides): Promise<void> {
    if (this.#puts !== undefined) put.add(this.#puts);
    const answer = await this.#ask(handles[this.#handle] as Handle);
    expect(answer, this.toString()).to.deep.equal(await this.#ask(reference));
  }

  toString(): string {
    return `\n  ${this.#name} on handle ${this.#handle}`;
  }
}

/** Calls with random inputs, each on one of two handles. */
function calls<Inputs extends unknown[]>(
  name: string,
  inputs: fc.Arbitrary<Inputs>,
  ask: (target: Handle, ...inputs: Inputs) => Promise<unknown>,
  puts?: (...inputs: Inputs) => ArchiveId,
): fc.Arbitrary<Call> {
  return fc.tuple(inputs, fc.nat({ max: 1 })).map(([given, handle]) => {
    const text = `${name} ${given.map((input) => JSON.stringify(input)).join(', ')}`;
    return new Call(text, (target) => ask(target, ...given), handle, puts?.(...given));
  });
}

async function put(target: Handle, archive: Archive, discards: boolean): Promise<void> {
  const staged = await target.stage(bytesOf(archive));
  await target.put(archive[0], staged);
  if (discards) await staged.discard();
}

/** Everything that a storage answers about some archives. */
async function contentOf(target: Handle, archives: readonly Archive[], middle: number): Promise<object> {
  return {
    listed: await walkIds(target, 1_000),
    archives: await Promise.all(
      archives.map(async (archive) => ({
        size: await target.size(archive[0]),
        begin: await target.read(archive[0], ...within(archive, [0, middle])),
        rest: await target.read(archive[0], ...within(archive, [middle, 4_096])),
      })),
    ),
  };
}

function everyCall(given: Values): fc.Arbitrary<Call>[] {
  const id = fc.tuple(anId(given));
  const none = fc.constant<[]>([]);
  const puts = calls('put', fc.tuple(anArchive(given), fc.boolean()), put, ([of]) => of);
  const reads = calls('read', aRange(given), (target, ...range) => target.read(...range));
  return [
    // Twice as often as others.
    ...[puts, puts, reads, reads],
    calls('size', id, (target, of) => target.size(of)),
    calls('delete', id, (target, of) => target.delete(of)),
    calls('check', none, (target) => target.check()),
    calls('strew', none, (target) => target.strew()),
    calls('walk', fc.tuple(anEnd(given), oneOf(...LIMITS)), (target, after, limit) =>
      walkIds(target, limit, undefined, after),
    ),
    calls('content', fc.tuple(fc.constant(given.archives), oneOf(0, 1, 512)), contentOf),
  ];
}

/**
 * Runs random sequences of all calls of a storage, on a port and a peer in turn, and the same on the storage in memory.
 * Rejects with the shortest sequence found with different answers.
 *
 * @param create creates a subject over new empty data, as for a contract; called for each run.
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
  { runs = 100, seed, shortest = true }: ModelOptions = {},
): Promise<void> {
  const before = openFiles();
  let shortensUntil = Number.POSITIVE_INFINITY;
  const sequence = values.chain((given) =>
    fc.tuple(fc.constant(given), fc.commands(everyCall(given), { maxCommands: 60, size: 'max' })),
  );
  const property = fc.asyncProperty(sequence, async ([{ archives }, turns]) => {
    // Stops searching, so that the found sequence is reported in time.
    if (Date.now() > shortensUntil) return;
    const subject = await create();
    const staged = await createStagedArchives();
    const { stage, strew } = subject;
    const open = (storage: ArchiveStorage): Handle =>
      replacing(storage as Handle, { stage: stage.bind(subject), strew: strew.bind(subject) });
    const reference = replacing(createMemory().archives as Handle, {
      stage: staged.stage,
      strew: async () => {},
    });
    try {
      const handles = [open(subject.port), open(await subject.peer())];
      await fc.asyncModelRun(() => ({ model: new Set<ArchiveId>(), real: { handles, reference } }), turns);
      const seen = await contentOf(open(await subject.peer()), archives, 1);
      expect(seen, 'in the end').to.deep.equal(await contentOf(reference, archives, 1));
    } catch (error) {
      shortensUntil = Math.min(shortensUntil, Date.now() + SHORTENED_FOR);
      throw error;
    } finally {
      await staged.dispose();
      await subject.dispose();
    }
  });
  await fc.assert(property, {
    numRuns: runs,
    endOnFailure: !shortest,
    includeErrorInReport: true,
    ...(seed === undefined ? {} : { seed }),
  });
  expect(await filesLeftOpen(before), 'files that calls left open').to.be.below(SPARE);
}
