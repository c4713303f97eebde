import { expect } from 'chai';
import { OPERATOR } from '../../src/index.ts';

describe('the operator', () => {
  it('is known to another copy of the package', async () => {
    const another = new URL('../../src/domain/actor.ts?another', import.meta.url).href;
    const copy: typeof import('../../src/domain/actor.ts') = await import(another);
    expect(copy.OPERATOR).to.equal(OPERATOR);
    expect(Symbol.for('@pinfold/core/operator'), 'the mark of every version').to.equal(OPERATOR);
    expect(copy.boundTo(OPERATOR)).to.equal(undefined);
  });
});
