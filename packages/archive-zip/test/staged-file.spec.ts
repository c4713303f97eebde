import { closeSync, openSync } from 'node:fs';
import { createStagedArchives, type StagedArchives, someBytes } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import fc from 'fast-check';
import { fileSource, StagedFile } from '../src/archive-source.ts';

const SIZE = 5_000;

describe('StagedFile', () => {
  const bytes = Buffer.from(someBytes(SIZE, 1));
  let staged: StagedArchives;
  let fd: number;

  before(async () => {
    staged = await createStagedArchives();
    fd = openSync((await staged.stage(bytes)).file, 'r');
  });
  after(async () => {
    closeSync(fd);
    await staged.dispose();
  });

  it('reads the bytes at any position, in any order, through a window of any size', () => {
    const places = fc.array(fc.tuple(fc.nat(SIZE + 100), fc.nat(SIZE + 100)), { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 * SIZE }), places, (window, reads) => {
        const file = new StagedFile(fileSource(fd, SIZE), window);
        for (const [position, length] of reads) {
          expect(file.at(position, length).equals(bytes.subarray(position, position + length))).to.equal(
            true,
          );
        }
      }),
    );
  });

  it('fails with a system error if the file was truncated', () => {
    const file = new StagedFile(fileSource(fd, SIZE + 1), 100);
    expect(() => file.at(SIZE - 10, 11))
      .to.throw()
      .with.property('syscall', 'read');
  });
});
