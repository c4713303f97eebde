import { expect } from 'chai';
import { type Reference, ReferenceFilter, SitePaths } from '../../src/observe.ts';

describe('a reference filter', () => {
  const part = (to: string): Reference => ({ target: to, navigation: false });
  const passed = (filter: ReferenceFilter, on: string, references: readonly Reference[]) =>
    filter.filter(on, references).map((reference) => reference.target);
  const targets = (references: readonly Reference[]) => references.map((reference) => reference.target);

  it('drops references of a page to itself', () => {
    const filter = new ReferenceFilter(new SitePaths(['docs/a.html']));
    expect(filter.filter('docs/a.html', [{ target: '', navigation: false }])).to.deep.equal([]);
  });

  it('drops references that cannot become a warning', () => {
    const filter = new ReferenceFilter(new SitePaths(['index.html', 'a.html']));
    const harmless = ['a.html', 'a', '#top', 'https://example.com/', 'a.html?x'].map(part);
    expect(filter.filter('index.html', harmless)).to.deep.equal([]);
    expect(filter.filter('index.html', [{ target: 'deep/link', navigation: true }])).to.deep.equal([]);
  });

  it('passes at most as many of each kind as an answer may have warnings', () => {
    const filter = new ReferenceFilter(new SitePaths(['index.html', 'a.html', 'b.png']));
    // Valid, broken and in another case; relative, and absolute, about which only path mode warns.
    const kinds = ['/a.html', 'gone.png', '/gone.png', 'B.png', '/B.png'];
    const many = Array.from({ length: 100 }, (_, n) => kinds.map((kind) => part(`${kind}?${n}`))).flat();
    expect(passed(filter, 'index.html', many)).to.deep.equal(targets(many.slice(0, 20 * kinds.length)));
    expect(filter.filter('a.html', many)).to.deep.equal([]);
  });

  it('passes links that an app answers with its start page, and those that differ only in case', () => {
    const filter = new ReferenceFilter(new SitePaths(['index.html', 'about.html']));
    const [link, other] = ['About', 'elsewhere'].map((to) => ({ target: to, navigation: true }));
    expect(filter.filter('index.html', [link, other] as Reference[])).to.deep.equal([
      { target: 'About', absolute: false, answered: true, otherCase: 'about.html' },
    ]);
  });

  it('finds the path that a site was built for, by files that broken references find without it', () => {
    const paths = ['index.html', 'second.html', 'guide/index.html', 'assets/app-1a2b3c4d.js', 'docs/a.html'];
    const basePaths = (references: readonly Reference[]) =>
      new ReferenceFilter(new SitePaths(paths))
        .filter('docs/a.html', references)
        .map(({ target: to, basePath }) => [to, basePath]);
    const script = 'assets/app-1a2b3c4d.js';
    expect(basePaths([`/repo/${script}?v`, `/group/repo/${script}`, '/repo/guide/'].map(part))).to.deep.equal(
      [
        [`/repo/${script}?v`, '/repo/'],
        [`/group/repo/${script}`, '/group/repo/'],
        ['/repo/guide/', '/repo/'],
      ],
    );
    expect(basePaths([{ ...part(script), base: '/repo/' }])).to.deep.equal([[script, '/repo/']]);
    // Each site has a start page, and files of other folders are no sign.
    const others = [
      '/repo/',
      '/repo/index.html',
      '/repo/gone.js',
      `/a/b/c/${script}`,
      script,
      `../x/${script}`,
    ];
    expect(basePaths(others.map(part))).to.deep.equal(others.map((to) => [to, undefined]));
  });

  it('judges the same reference of several pages for each of them', () => {
    const filter = new ReferenceFilter(
      new SitePaths(['a1/x.png', 'a1/y/index.html', 'a1/index.html', 'index.html']),
    );
    const same = [part('x.png'), part('y/')];
    expect(filter.filter('a1/index.html', same)).to.deep.equal([]);
    expect(passed(filter, 'a2/index.html', same)).to.deep.equal(targets(same));
    expect(passed(filter, 'index.html', same)).to.deep.equal(targets(same));
    const link = { target: 'deep/link', navigation: true };
    expect(passed(filter, 'index.html', [link, part('deep/link'), link])).to.deep.equal(['deep/link']);
  });
});
