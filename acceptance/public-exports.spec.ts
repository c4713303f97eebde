import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { LIST, publicExports } from '../scripts/public-exports.ts';

describe('the exports of packages', () => {
  it('are listed: run `node scripts/public-exports.ts` after an intended change', async () => {
    expect((await readFile(LIST, 'utf8')).split('\n')).to.deep.equal(publicExports().split('\n'));
  });
});
