import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { LIST, publicExports } from '../scripts/public-exports.ts';

describe('what packages export', () => {
  it('is listed: run `node scripts/public-exports.ts` where a change of it is meant', async () => {
    expect((await readFile(LIST, 'utf8')).split('\n')).to.deep.equal(publicExports().split('\n'));
  });
});
