import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { PROMISES_PAGE, portContracts, promisesIn, promisesPage, readPromises } from './promises.ts';

const clauses = portContracts.flatMap((contract) => contract.clauses);

function repeated(ids: readonly string[]): readonly string[] {
  return ids.filter((id, n) => ids.indexOf(id) !== n);
}

describe('The promises of the ports', () => {
  it('are read from their comments, even over several lines', () => {
    const source = `
      /**
       * Does it.
       * @promise a-port/one: a sentence, with: colons
       * @promise a-port/two: a sentence
       *   over two lines
       */
      /** Another. @see nothing */
      /** @promise a-port/three: alone */`;
    expect(promisesIn(source)).to.deep.equal([
      { id: 'a-port/one', text: 'a sentence, with: colons' },
      { id: 'a-port/two', text: 'a sentence over two lines' },
      { id: 'a-port/three', text: 'alone' },
    ]);
  });

  it('are each checked by a clause with the same sentence', async () => {
    const unchecked = (await readPromises()).filter(
      ({ id, text }) => !clauses.some((clause) => clause.id === id && clause.text === text),
    );
    expect(unchecked).to.deep.equal([]);
  });

  it('are all promises of the clauses', async () => {
    const promises = await readPromises();
    const unpromised = clauses.filter(({ id }) => !promises.some((promise) => promise.id === id));
    expect(unpromised.map(({ id }) => id)).to.deep.equal([]);
  });

  it('have unique ids', async () => {
    const promises = await readPromises();
    expect(repeated(promises.map(({ id }) => id))).to.deep.equal([]);
    expect(repeated(clauses.map(({ id }) => id))).to.deep.equal([]);
  });

  it('are listed for adapter authors', async () => {
    expect(await readFile(PROMISES_PAGE, 'utf8'), 'run `pnpm --filter pinfold-proof promises`').to.equal(
      promisesPage(),
    );
  });
});
