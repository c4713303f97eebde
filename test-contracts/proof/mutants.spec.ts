import { expect } from 'chai';
import { tables } from './mutants/index.ts';
import { unconventionalStorage } from './mutants/unconventional-but-valid.ts';
import { publishedContracts } from './promises.ts';

describe('The mutants', () => {
  it('test every published contract of a port', () => {
    expect(tables.map(({ port }) => port)).to.have.members(publishedContracts.map(({ port }) => port));
  });
});

for (const table of tables) {
  describe(`The contract of ${table.port}`, () => {
    for (const clause of table.clauses) {
      it(`holds for a sound implementation, and fails for a faulty one: ${clause}`, async () => {
        expect(await table.holds(clause), 'holds').to.equal(true);
        expect(await table.canFail(clause), 'can fail').to.equal(true);
      });
    }

    for (const story of table.stories) {
      it(`fails in ${story.breaks} when ${story.how}`, async () => {
        expect(await table.isNoticed(story)).to.equal(true);
      });
    }

    it('has a clause for every method, and notices each fault that a caller would see', async () => {
      expect(await table.unnoticed()).to.deep.equal([]);
    });
  });
}

describe('The contract of ArchiveStorage, for short pages and bytes in buffers', () => {
  for (const clause of unconventionalStorage.clauses) {
    it(`holds in ${clause}`, async () => {
      expect(await unconventionalStorage.holds(clause)).to.equal(true);
    });
  }
});
