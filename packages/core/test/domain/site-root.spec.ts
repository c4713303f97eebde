import { expect } from 'chai';
import { missingIndex } from '../../src/domain/site-root.ts';

const of = (...names: readonly string[]) =>
  missingIndex(names.map((name) => ({ name, isFolder: name.endsWith('/') })));

/** What was found, in the words of the sentence behind the demand; `undefined` without one. */
function found(...names: readonly string[]): string | undefined {
  return / Found (.*)\.$/.exec(of(...names))?.[1];
}

describe('a missing index.html', () => {
  it('is demanded where it must be, whatever was found', () => {
    for (const names of [[], ['a.html'], ['INDEX.HTML'], ['a/b/index.html']]) {
      expect(of(...names)).to.match(/^Put an index\.html \(lower case\) at the root of the ZIP/);
    }
  });

  it('is told of with what may have been meant for it, and where that lies', () => {
    expect(found('a.css', 'Index.html')).to.equal('"Index.html" at the root');
    expect(found('index.htm')).to.equal('"index.htm" at the root');
    expect(found('site/', 'site/INDEX.HTM')).to.equal('"INDEX.HTM" in that folder');
    expect(found('site/index.html', 'other/')).to.equal(
      '"index.html" in a folder that does not hold everything',
    );
    expect(found('a.css', 'site/Index.html')).to.equal(
      '"Index.html" in a folder that does not hold everything',
    );
    expect(found('a/b/index.html', 'a/c')).to.equal('"index.html" 2 folders deep');
  });

  it('is told of with what lies nearest to the root, the first of several', () => {
    expect(found('a/b/index.html', 'a/index.htm', 'Index.html')).to.equal('"Index.html" at the root');
    expect(found('b/index.htm', 'a/index.html')).to.match(/^"index\.htm" /);
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
      const detail = of(`${folder}/b/Index.html`, 'x');
      expect(detail).to.match(/^[\w ().,"]+$/);
      expect(detail).not.to.match(/evil|xx/);
    }
  });
});
