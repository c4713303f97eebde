import { expect } from 'chai';
import { type Reference, ReferenceSieve, SitePaths } from '../../src/observe.ts';

describe('the sieve of references', () => {
  const part = (to: string): Reference => ({ target: to, navigation: false });
  const passed = (sieve: ReferenceSieve, on: string, references: readonly Reference[]) =>
    sieve.sift(on, references).map((reference) => reference.target);
  const targets = (references: readonly Reference[]) => references.map((reference) => reference.target);

  it('lets no reference of a page to itself through', () => {
    const sieve = new ReferenceSieve(new SitePaths(['docs/a.html']));
    expect(sieve.sift('docs/a.html', [{ target: '', navigation: false }])).to.deep.equal([]);
  });

  it('lets through nothing that can become no warning', () => {
    const sieve = new ReferenceSieve(new SitePaths(['index.html', 'a.html']));
    const harmless = ['a.html', 'a', '#top', 'https://example.com/', 'a.html?x'].map(part);
    expect(sieve.sift('index.html', harmless)).to.deep.equal([]);
    expect(sieve.sift('index.html', [{ target: 'deep/link', navigation: true }])).to.deep.equal([]);
  });

  it('lets through as many of each sort as can be shown, and no more', () => {
    const sieve = new ReferenceSieve(new SitePaths(['index.html', 'a.html', 'b.png']));
    // Answered, broken and in another case; relative, and absolute, of which path mode warns alone.
    const sorts = ['/a.html', 'gone.png', '/gone.png', 'B.png', '/B.png'];
    const many = Array.from({ length: 100 }, (_, n) => sorts.map((sort) => part(`${sort}?${n}`))).flat();
    expect(passed(sieve, 'index.html', many)).to.deep.equal(targets(many.slice(0, 20 * sorts.length)));
    expect(sieve.sift('a.html', many)).to.deep.equal([]);
  });

  it('lets links through that an app answers with its start page, and a file but for case', () => {
    const sieve = new ReferenceSieve(new SitePaths(['index.html', 'about.html']));
    const [link, other] = ['About', 'elsewhere'].map((to) => ({ target: to, navigation: true }));
    expect(sieve.sift('index.html', [link, other] as Reference[])).to.deep.equal([
      { target: 'About', absolute: false, answered: true, otherCase: 'about.html' },
    ]);
  });

  it('judges what stands on several pages anew where it means something else', () => {
    const sieve = new ReferenceSieve(
      new SitePaths(['a1/x.png', 'a1/y/index.html', 'a1/index.html', 'index.html']),
    );
    const same = [part('x.png'), part('y/')];
    expect(sieve.sift('a1/index.html', same)).to.deep.equal([]);
    expect(passed(sieve, 'a2/index.html', same)).to.deep.equal(targets(same));
    expect(passed(sieve, 'index.html', same)).to.deep.equal(targets(same));
    const link = { target: 'deep/link', navigation: true };
    expect(passed(sieve, 'index.html', [link, part('deep/link'), link])).to.deep.equal(['deep/link']);
  });
});
