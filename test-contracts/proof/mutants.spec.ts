import { checkRoleStoreSequences } from '@pinfold/test-contracts';
import { expect } from 'chai';
import { tables } from './mutants/index.ts';
import { roleStoreTable } from './mutants/role-store.ts';
import { unconventionalTables } from './mutants/unconventional-but-valid.ts';
import { portContracts } from './promises.ts';

describe('The mutants', () => {
  it('test the contract of every port', () => {
    expect(tables.map(({ port }) => port)).to.have.members(portContracts.map(({ port }) => port));
  });
});

describe('A random sequence', () => {
  it('is repeated by its seed', async () => {
    const mutant = roleStoreTable.mutants.find(({ how }) => how === 'list: takes.query.now.earlier');
    const failures: string[] = [];
    // A loop, since the message contains the line of the call.
    for (const seed of [7, 7]) {
      const run = checkRoleStoreSequences(mutant?.open() ?? roleStoreTable.sound(), {
        seed,
        shortest: false,
      });
      failures.push(await run.then(String, (error: Error) => error.message));
    }
    expect(failures[0]).to.equal(failures[1]).and.include('seed: 7');
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
