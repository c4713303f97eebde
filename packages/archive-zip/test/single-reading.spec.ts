import { badZips, goodZips } from '@pinfold/test-contracts/fixtures';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { MemorySource, StagedFile } from '../src/archive-source.ts';
import { readDirectory } from '../src/central-directory.ts';
import { findEndRecord } from '../src/end-record.ts';
import { differsFromLibrary, hasSingleReading } from '../src/library-comparison.ts';
import { mutate } from './fuzzing/mutate.ts';
import { Random } from './fuzzing/random.ts';

/** Whether an archive has a single reading by our rule, and whether the library's differs; undefined without a directory. */
async function readingsOf(
  bytes: Uint8Array,
): Promise<{ readonly isSingle: boolean; readonly differs: boolean } | undefined> {
  const source = new MemorySource(bytes);
  const file = new StagedFile(source, bytes.length);
  const { end, problems } = findEndRecord(file);
  if (end === undefined || problems.length > 0) return undefined;
  const { headers, problems: directoryProblems } = readDirectory(file, end, 1_000);
  if (headers.length === 0 || directoryProblems.length > 0) return undefined;
  const isSingle = hasSingleReading(file, end, headers);
  return { isSingle, differs: await differsFromLibrary(source, headers) };
}

describe('A directory with one reading', () => {
  it('belongs to a common archive, but not to one with a comment or a Zip64 record', async () => {
    const entries = [{ name: 'a.html', content: 'a' }];
    expect((await readingsOf(writeZip({ entries })))?.isSingle).to.equal(true);
    for (const more of [{ comment: 'x' }, { zip64: {} }]) {
      expect((await readingsOf(writeZip({ entries, ...more })))?.isSingle).to.equal(false);
    }
  });

  it('is read the same by another reader, in valid, broken and mutated archives', async () => {
    const cases = await Promise.all([...goodZips, ...badZips].map(({ bytes }) => bytes()));
    const small = cases.filter(({ length }) => length < 8_192);
    const mutations = Array.from({ length: 3_000 }, (_, seed) => {
      const random = new Random(seed);
      return mutate(random.pick(small), random.pick(small), random);
    });
    let singleReadings = 0;
    for (const [index, bytes] of [...small, ...mutations].entries()) {
      const readings = await readingsOf(bytes);
      if (readings?.isSingle !== true) continue;
      singleReadings += 1;
      expect(readings.differs, `archive ${index}`).to.equal(false);
    }
    expect(singleReadings).to.be.above(300);
  });
});
