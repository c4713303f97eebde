import { expect } from 'chai';
import { tables } from './mutants/index.ts';
import { unconventionalTables } from './mutants/unconventional-but-valid.ts';
import { publishedContracts } from './promises.ts';

describe('The mutants', () => {
  it('test every published contract of a port', () => {
    expect(tables.map(({ port }) => port)).to.have.members(publishedContracts.map(({ port }) => port));
  });
});

for (const table of tables) {
  describe(`The contract of ${table.port}`, () => {
    for (const clause of table.clauses) {
      it(`holds for a sound implementation: ${clause}`, async () => {
        expect(await table.holds(clause)).to.equal(true);
      });
    }

    for (const mutant of table.mutants) {
      it(`fails when ${mutant.how}`, async () => {
        expect(await table.isCaught(mutant)).to.equal(true);
      });
    }

    it('has a mutant for every clause', async () => {
      for (const clause of table.clauses) expect(await table.canFail(clause), clause).to.equal(true);
    });
  });
}

for (const { how, table } of unconventionalTables) {
  describe(`The contract of ${table.port}, for an implementation with ${how}`, () => {
    for (const clause of table.clauses) {
      it(`holds in ${clause}`, async () => {
        expect(await table.holds(clause)).to.equal(true);
      });
    }
  });
}
