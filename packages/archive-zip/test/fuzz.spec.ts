import { expect } from 'chai';
import { fuzz } from './fuzzing/fuzz.ts';

describe('ZipArchiveInspector, with mutations of valid archives', () => {
  // Each mutation has a seed of its own, which a failure reports; `pnpm fuzz` runs more and other mutations.
  it('refuses them, or serves exactly what it proved', async () => {
    const { refused, accepted } = await fuzz(1, 2_500);
    expect(refused).to.be.above(1_500);
    expect(accepted).to.be.above(50);
  });
});
