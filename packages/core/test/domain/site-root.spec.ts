import { expect } from 'chai';
import { judgeListing } from '../../src/adapter.ts';
import { misplacedIndex, siteRoot } from '../../src/domain/site-root.ts';
import { defaultLimits } from '../../src/index.ts';

function found(...names: readonly string[]): readonly [string, number, boolean] | undefined {
  const index = misplacedIndex(names.map((name) => ({ name, isFolder: name.endsWith('/') })));
  return index === undefined ? undefined : [index.name, index.depth, index.inOnlyFolder];
}

describe('the root of a site', () => {
  const rootOf = (...names: readonly string[]) =>
    siteRoot(names.map((name) => ({ name, isFolder: name.endsWith('/') })));

  it('has an index.html: at the top, or in the only folder', () => {
    expect(rootOf('a.css', 'index.html')).to.equal('');
    expect(rootOf('site/', 'site/a.css', 'site/index.html')).to.equal('site/');
    expect(rootOf('site/index.html', 'index.html')).to.equal('');
  });

  it('is nowhere else', () => {
    for (const names of [[], ['a.html'], ['site/a.html'], ['site/a/index.html'], ['site/index.html', 'b']]) {
      expect(rootOf(...names), names.join()).to.equal(undefined);
    }
  });
});

describe('a missing index.html', () => {
  it('is told of with what may have been meant for it, and where that lies', () => {
    expect(found('a.css', 'Index.html')).to.deep.equal(['Index.html', 0, false]);
    expect(found('index.htm')).to.deep.equal(['index.htm', 0, false]);
    expect(found('site/', 'site/INDEX.HTM')).to.deep.equal(['INDEX.HTM', 1, true]);
    expect(found('site/index.html', 'other/')).to.deep.equal(['index.html', 1, false]);
    expect(found('a.css', 'site/Index.html')).to.deep.equal(['Index.html', 1, false]);
    expect(found('a/b/index.html', 'a/c')).to.deep.equal(['index.html', 2, true]);
  });

  it('is a problem with the file that may have been meant, if there is one', () => {
    const listed = {
      host: 3,
      externalAttributes: 0,
      flags: 0,
      method: 8,
      crc32: 0,
      compressedSize: 1,
      size: 1,
    };
    const problemsOf = (name: string) =>
      judgeListing(
        { entries: [{ ...listed, name, dataOffset: 0 }], problems: [], trusted: true },
        defaultLimits,
      ).problems;
    const index = { name: 'Index.HTM', depth: 1, inOnlyFolder: true };
    expect(problemsOf('a/Index.HTM')).to.deep.equal([{ rule: 'missing_index', found: index }]);
    expect(problemsOf('a.html')).to.deep.equal([{ rule: 'missing_index' }]);
  });

  it('is told of with what lies nearest to the root, the first of several', () => {
    expect(found('a/b/index.html', 'a/index.htm', 'Index.html')).to.deep.equal(['Index.html', 0, false]);
    expect(found('b/index.htm', 'a/index.html')?.[0]).to.equal('index.htm');
  });

  it('is not told of with folders and other names', () => {
    const others = [
      'index.html/',
      'index.html.bak',
      'index.xhtml',
      'xindex.html',
      'index_html',
      'ındex.html',
    ];
    expect(found(...others)).to.equal(undefined);
  });

  it('is told of with nothing that a folder is called', () => {
    for (const folder of ['\u202eevil', 'a"\n', '<b>', '..', '', 'x'.repeat(2_000)]) {
      expect(found(`${folder}/b/Index.html`, 'x')).to.deep.equal(['Index.html', 2, false]);
    }
  });
});
