import { expect } from 'chai';
import { sabotagedPorts, soundOnes } from './sabotages/sabotaged.ts';

/** The least that are tried of each port. */
const LEAST = 60;

for (const { port, hows, noticedBy } of sabotagedPorts) {
  describe(`The published checks of ${port}`, function () {
    this.timeout(60_000);

    it(`are tried by ${LEAST} sabotages at least`, () => {
      expect(hows.length).to.be.at.least(LEAST);
    });

    for (const how of hows) {
      it(`notice that ${how}`, async () => {
        expect(await noticedBy(how), 'the clause that notices').not.to.equal(undefined);
      });
    }
  });
}

for (const { port, hows, noticedBy } of soundOnes) {
  describe(`The published checks of ${port}, of what is sound`, function () {
    this.timeout(300_000);

    for (const how of hows) {
      it(`find nothing wrong with ${how}`, async () => {
        expect(await noticedBy(how), 'the clause that notices').to.equal(undefined);
      });
    }
  });
}
