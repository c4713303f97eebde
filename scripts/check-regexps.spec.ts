import { expect } from 'chai';
import { judge, regexpsIn } from './check-regexps.ts';

describe('the check of regular expressions', () => {
  it('finds every literal of a source, and no division', async () => {
    const source =
      'const a: RegExp = /(a|a)*$/u; const b = 4 / 2 / 1; f(/[/]+x/g); // /c/\nif (a) /d/.test(x);';
    expect([...(await regexpsIn(source))]).to.deep.equal(['/(a|a)*$/u', '/[/]+x/g', '/d/']);
  });

  it('finds those that take exponential or quadratic time', async () => {
    const statuses = async (...literals: readonly string[]) =>
      Promise.all(literals.map(async (literal) => (await judge(literal)).status));
    expect(await statuses('/^(a|a)*$/', '/[^ ]+ +/', '/^[^ ]+ +/')).to.deep.equal([
      'vulnerable',
      'vulnerable',
      'safe',
    ]);
  });
});
