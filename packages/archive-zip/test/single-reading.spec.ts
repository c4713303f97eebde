import { badZips, goodZips } from '@pinfold/test-contracts/fixtures';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { MemorySource, StagedFile } from '../src/archive-source.ts';
import { readDirectory } from '../src/central-directory.ts';
import { findEndRecord } from '../src/end-record.ts';
import { differsFromLibrary, hasSingleReading } from '../src/library-comparison.ts';
import { mutate } from './fuzzing/mutate.ts';
import { Random } from './fuzzing/random.ts';

/** Whether the rule finds only one reading of an archive, and whether the library finds another; undefined without a directory. */
async function readingsOf(
  bytes: Uint8Array,
): Promise<{ readonly oneWay: boolean; readonly otherwise: boolean } | undefined> {
  const source = new MemorySource(bytes);
  const file = new StagedFile(source, bytes.length);
  const { end, problems } = findEndRecord(file);
  if (end === undefined || problems.length > 0) return undefined;
  const { headers, problems: found } = readDirectory(file, end, 1_000);
  if (headers.length === 0 || found.length > 0) return undefined;
  const oneWay = hasSingleReading(file, end, headers);
  return { oneWay, otherwise: await differsFromLibrary(source, headers) };
}

describe('A directory with one reading', () => {
  it('belongs to a common archive, but not to one with a comment or a Zip64 record', async () => {
    const entries = [{ name: 'a.html', content: 'a' }];
    expect((await readingsOf(writeZip({ entries })))?.oneWay).to.equal(true);
    for (const more of [{ comment: 'x' }, { zip64: {} }]) {
      expect((await readingsOf(writeZip({ entries, ...more })))?.oneWay).to.equal(false);
    }
  });

  it('is read the same by another reader, in sound, broken and mutated archives', async () => {
    const cases = await Promise.all([...goodZips, ...badZips].map(({ bytes }) => bytes()));
    const small = cases.filter(({ length }) => length < 8_192);
    const mutations = Array.from({ length: 3_000 }, (_, seed) => {
      const random = new Random(seed);
      return mutate(random.pick(small), random.pick(small), random);
    });
    let once = 0;
    for (const [index, bytes] of [...small, ...mutations].entries()) {
      const readings = await readingsOf(bytes);
      if (readings?.oneWay !== true) continue;
      once += 1;
      expect(readings.otherwise, `archive ${index}`).to.equal(false);
    }
    expect(once).to.be.above(300);
  });
});
