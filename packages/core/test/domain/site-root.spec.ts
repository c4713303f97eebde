import { expect } from 'chai';
import { siteRoot } from '../../src/domain/index-hint.ts';

describe('the root of a site', () => {
  it('has an index.html: at the top, or in the only folder', () => {
    expect(siteRoot(['a.css', 'index.html'])).to.equal('');
    expect(siteRoot(['site/', 'site/a.css', 'site/index.html'])).to.equal('site/');
    expect(siteRoot(['site/index.html', 'index.html'])).to.equal('');
  });

  it('is nowhere else', () => {
    for (const names of [[], ['a.html'], ['site/a.html'], ['site/a/index.html'], ['site/index.html', 'b']]) {
      expect(siteRoot(names), names.join()).to.equal(undefined);
    }
  });
});
