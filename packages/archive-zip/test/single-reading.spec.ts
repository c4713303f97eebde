import { badZips, goodZips } from '@pinfold/test-contracts/fixtures';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { MemorySource, StagedFile } from '../src/archive-source.ts';
import { readDirectory } from '../src/central-directory.ts';
import { findEnd } from '../src/end-record.ts';
import { isReadOneWay, readsOtherwise } from '../src/library-walk.ts';
import { mutate } from './fuzzing/mutate.ts';
import { Random } from './fuzzing/random.ts';

/** Whether an archive is said to have one reading, and whether the library has another one; undefined without a directory. */
async function readingsOf(
  bytes: Uint8Array,
): Promise<{ readonly oneWay: boolean; readonly otherwise: boolean } | undefined> {
  const source = new MemorySource(bytes);
  const file = new StagedFile(source, bytes.length);
  const { end, problems } = findEnd(file);
  if (end === undefined || problems.length > 0) return undefined;
  const { headers, problems: found } = readDirectory(file, end, 1_000);
  if (headers.length === 0 || found.length > 0) return undefined;
  const oneWay = isReadOneWay(file, end, headers);
  return { oneWay, otherwise: await readsOtherwise(source, headers) };
}

describe('A directory with one reading', () => {
  it('is that of a common archive, and none with a comment or a Zip64 record', async () => {
    const entries = [{ name: 'a.html', content: 'a' }];
    expect((await readingsOf(writeZip({ entries })))?.oneWay).to.equal(true);
    for (const more of [{ comment: 'x' }, { zip64: {} }]) {
      expect((await readingsOf(writeZip({ entries, ...more })))?.oneWay).to.equal(false);
    }
  });

  it('is not read otherwise by another reader, in sound archives, broken ones and mutations of them', async () => {
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
