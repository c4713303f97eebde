import { expect } from 'chai';
import { cutPower, type Findings, type PowerCuts } from './cut-power.ts';
import { hasCompiler } from './disk.ts';

const CUTS = 12;
/** Enough if a server is restarted, or if nearly every cut loses something. */
const FEW = 6;

/** Cuts the power, and checks that publications were acknowledged meanwhile. */
async function cuts(how: Omit<PowerCuts, 'cuts'>, count: number = CUTS): Promise<Findings> {
  const found = await cutPower({ ...how, cuts: count });
  expect(found.answers).to.have.property('201');
  return found;
}

describe('A power cut', () => {
  it('loses no acknowledged change, while commits are flushed', async () => {
    const { losses } = await cuts({ seenBy: 'flushed-commits.ts' });
    expect(losses).to.deep.equal([]);
  });

  it('loses acknowledged changes if the database does not flush, which these tests notice', async () => {
    const { losses } = await cuts({ seenBy: 'flushed-commits.ts', withoutFlush: true }, FEW);
    expect(losses).to.not.deep.equal([]);
  });

  if (hasCompiler()) {
    it('loses no acknowledged change, whatever else was not flushed', async () => {
      const { losses } = await cuts({ seenBy: 'disk.c' });
      expect(losses).to.deep.equal([]);
    });

    it('loses no change that two processes acknowledged after a failed flush', async () => {
      const { losses, failedFlushes } = await cuts({ seenBy: 'disk.c', failing: true, processes: 2 });
      expect(failedFlushes).to.be.above(0);
      expect(losses).to.deep.equal([]);
    });

    it('loses no change after a server with a failed flush was killed', async () => {
      const { losses, failedFlushes } = await cuts(
        { seenBy: 'disk.c', failing: true, restarting: 'killed' },
        FEW,
      );
      expect(failedFlushes).to.be.above(0);
      expect(losses).to.deep.equal([]);
    });

    it('loses acknowledged changes if the database does not flush', async () => {
      const { losses } = await cuts({ seenBy: 'disk.c', withoutFlush: true }, FEW);
      expect(losses).to.not.deep.equal([]);
    });
  } else {
    it('is not tried with every flush here, since there is no C compiler: install `cc`', () => {
      expect(hasCompiler()).to.equal(false);
    });
  }
});
