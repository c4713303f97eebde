import { createStagedArchives, goodZips } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ZipArchiveInspector } from '../../src/index.ts';
import { inspect } from '../inspection.ts';
import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import { expectServedAsRead } from './served.ts';

/** The result of a run of mutations. */
export interface FuzzResult {
  readonly refused: number;
  readonly accepted: number;
  /** The accepted ones that another reader could read, too. */
  readonly compared: number;
}

/** Archives inspected at once. */
const AT_ONCE = 4;
/** Larger archives take longer and reveal nothing more than smaller ones. */
const LARGEST = 8_192;

/**
 * Inspects mutations of sound archives. Each must be refused, or be served exactly as it was proved; any other outcome
 * rejects with the seed that repeats it.
 */
export async function fuzz(seed: number, count: number): Promise<FuzzResult> {
  const inspector = new ZipArchiveInspector();
  const staged = await createStagedArchives();
  const sound = (await Promise.all(goodZips.map(({ bytes }) => bytes()))).filter(
    ({ length }) => length < LARGEST,
  );
  let next = 0;
  let accepted = 0;
  let compared = 0;
  const one = async (mutation: number): Promise<void> => {
    const random = new Random(mutation);
    const bytes = mutate(random.pick(sound), random.pick(sound), random);
    const archive = await staged.stage(bytes);
    try {
      const inspection = await inspect(inspector, archive);
      const inMemory = await inspect(inspector, { ...archive, bytes });
      expect(inMemory, 'the same archive in memory').to.deep.equal(inspection);
      if (inspection.problems.length > 0) return;
      accepted += 1;
      if ((await expectServedAsRead(bytes, inspection)) === 'compared') compared += 1;
    } catch (cause) {
      throw new Error(`the mutation of seed ${mutation} is not handled`, { cause });
    } finally {
      await archive.discard();
    }
  };
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await one(seed + next - 1);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  } finally {
    await inspector.close();
    await staged.dispose();
  }
  return { refused: count - accepted, accepted, compared };
}
