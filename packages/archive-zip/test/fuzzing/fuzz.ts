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
const MAX_BYTES = 8_192;

/**
 * Inspects mutations of valid archives. Each must be refused, or be served exactly as it was proved; any other outcome
 * rejects with the seed that repeats it.
 */
export async function fuzz(seed: number, count: number): Promise<FuzzResult> {
  const inspector = new ZipArchiveInspector();
  const staged = await createStagedArchives();
  const valid = (await Promise.all(goodZips.map(({ bytes }) => bytes()))).filter(
    ({ length }) => length < MAX_BYTES,
  );
  let next = 0;
  let accepted = 0;
  let compared = 0;
  const inspectMutation = async (mutation: number): Promise<void> => {
    const random = new Random(mutation);
    const bytes = mutate(random.pick(valid), random.pick(valid), random);
    const archive = await staged.stage(bytes);
    try {
      const inspection = await inspect(inspector, archive);
      const inMemory = await inspect(inspector, { ...archive, bytes });
      expect(inMemory, 'the same archive in memory').to.deep.equal(inspection);
      if (inspection.problems.length > 0) return;
      accepted += 1;
      if ((await expectServedAsRead(bytes, inspection)) === 'compared') compared += 1;
    } catch (cause) {
      throw new Error(`the mutation of seed ${mutation} is not served as it was proved`, { cause });
    } finally {
      await archive.discard();
    }
  };
  const inspectOthers = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await inspectMutation(seed + next - 1);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, inspectOthers));
  } finally {
    await inspector.close();
    await staged.dispose();
  }
  return { refused: count - accepted, accepted, compared };
}
