import { expect } from 'chai';
import { observer, tokens } from '../src/index.ts';

describe('the tokens', () => {
  it('name every part by a symbol that other copies of this package share', () => {
    const symbols = [...Object.values(tokens), observer];
    expect(new Set(symbols).size).to.equal(symbols.length);
    for (const symbol of symbols) expect(Symbol.keyFor(symbol as symbol)).to.match(/^@pinfold\/[a-z-]+$/);
    expect(tokens.apiKeys).to.equal(Symbol.for('@pinfold/api-keys'));
  });
});
