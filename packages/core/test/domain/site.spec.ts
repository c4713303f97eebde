import { expect } from 'chai';
import { resolve } from '../../src/domain/site.ts';

/** How a site of some files answers, as `kind` or `kind: file`. */
function answer(files: readonly string[], path: string, navigation: boolean = true): string {
  const resolution = resolve({ get: (name) => files.find((file) => file === name) }, path, navigation);
  return 'entry' in resolution ? `${resolution.kind}: ${resolution.entry}` : resolution.kind;
}

describe('resolving a path of a site', () => {
  const site = ['index.html', 'about.html', 'docs/index.html', 'docs/a.html', 'app.js', 'both', 'both.html'];

  for (const [path, expected] of [
    ['/', 'file: index.html'],
    ['/docs/', 'file: docs/index.html'],
    ['/app.js', 'file: app.js'],
    ['/about', 'file: about.html'],
    ['/about.html', 'file: about.html'],
    ['/docs/a', 'file: docs/a.html'],
    ['/docs', 'folder'],
    ['/both', 'file: both'],
  ] as const) {
    it(`answers ${path} with ${expected}, to navigations and all else`, () => {
      expect(answer(site, path, true)).to.equal(expected);
      expect(answer(site, path, false)).to.equal(expected);
    });
  }

  it('takes x.html before the folder x', () => {
    expect(answer(['x.html', 'x/index.html'], '/x')).to.equal('file: x.html');
  });

  it('answers a folder without a start page as what is not there', () => {
    expect(answer(['a/b.html'], '/a/')).to.equal('nothing');
    expect(answer(['a/b.html'], '/a')).to.equal('nothing');
  });

  it('gives 200.html to every navigation that nothing else answers, before 404.html', () => {
    const files = ['index.html', '200.html', '404.html'];
    expect(answer(files, '/gone/a.png')).to.equal('file: 200.html');
    expect(answer(files, '/gone')).to.equal('file: 200.html');
  });

  it('gives 404.html to all else', () => {
    expect(answer(['200.html', '404.html'], '/gone', false)).to.equal('not_found_page: 404.html');
    expect(answer(['index.html', '404.html'], '/gone')).to.equal('not_found_page: 404.html');
  });

  it('gives the start page to navigations whose last segment has no dot', () => {
    expect(answer(['index.html'], '/deep/link')).to.equal('file: index.html');
    expect(answer(['index.html'], '/v1.2/link')).to.equal('file: index.html');
    expect(answer(['index.html'], '/deep/')).to.equal('file: index.html');
    expect(answer(['index.html'], '/gone.js')).to.equal('nothing');
    expect(answer(['index.html'], '/deep/link', false)).to.equal('nothing');
  });

  it('has nothing where it has no start page', () => {
    expect(answer(['site.js'], '/')).to.equal('nothing');
  });
});
