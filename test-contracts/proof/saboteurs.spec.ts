import { expect } from 'chai';
import { portContracts } from './promises.ts';
import { proofs } from './saboteurs/index.ts';

describe('The saboteurs', () => {
  it('stand against the contract of every port', () => {
    expect(proofs.map(({ port }) => port)).to.include.members(portContracts.map(({ port }) => port));
  });
});

for (const proof of proofs) {
  describe(`The contract of ${proof.port}`, function () {
    this.timeout(120_000);

    it('holds for an implementation that is sound', async () => {
      expect(await proof.failing()).to.deep.equal([]);
    });

    it('has a saboteur for every clause', () => {
      const broken = new Set(proof.saboteurs.map(({ breaks }) => breaks));
      expect([...broken]).to.have.members(proof.clauses);
    });

    for (const saboteur of proof.saboteurs) {
      it(`${saboteur.breaks} fails when ${saboteur.how}`, async () => {
        const expected = new Set([saboteur.breaks, ...(saboteur.alsoFails ?? [])]);
        expect(await proof.failing(saboteur)).to.have.members([...expected]);
      });
    }
  });
}
