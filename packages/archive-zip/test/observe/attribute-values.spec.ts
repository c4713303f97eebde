import { expect } from 'chai';
import { candidatesOf, refreshTarget } from '../../src/observe/attribute-values.ts';

describe('the URLs of a srcset', () => {
  for (const [srcset, urls] of [
    ['a.png', ['a.png']],
    ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
    ['a.png 100w,b.png 200w', ['a.png', 'b.png']],
    ['a.png, b.png', ['a.png', 'b.png']],
    ['a.png,b.png', ['a.png,b.png']],
    ['a.png,, ,b.png 2x,', ['a.png', 'b.png']],
    [' \n a,b.png 1x ,\n c.png ', ['a,b.png', 'c.png']],
    ['data:image/png;base64,AA== 1x, b.png 2x', ['data:image/png;base64,AA==', 'b.png']],
    ['a.png calc(1x, 2x), b.png', ['a.png', 'b.png']],
    ['', []],
    [' , ,', []],
  ] as const) {
    it(`are ${urls.length} in ${JSON.stringify(srcset)}`, () => {
      expect([...candidatesOf(srcset)]).to.deep.equal(urls);
    });
  }

  // A reader whose time grows with the square of the length would exceed the test's time limit.
  for (const hostile of [',', ' ', 'a (', 'a (b', 'a,', 'a, ', 'a 1x,', '(']) {
    it(`are read from a million characters of ${JSON.stringify(hostile)}`, () => {
      const many = hostile.repeat(1_000_000 / hostile.length);
      for (const srcset of [many, `${many}x`, `x${many}`, `x${many}x`])
        expect([...candidatesOf(srcset)].length).to.be.at.most(500_001);
    });
  }
});

describe('the URL of a refresh', () => {
  for (const [content, url] of [
    ['0; url=next.html', 'next.html'],
    ['5;URL = "a b.html" ', 'a b.html'],
    ["0.5, url='x.html'y", 'x.html'],
    ['0 next.html', 'next.html'],
    ['3', undefined],
    ['0;', undefined],
    ['url=next.html', undefined],
  ] as const) {
    it(`is ${url} in ${JSON.stringify(content)}`, () => {
      expect(refreshTarget(content)?.trim()).to.equal(url);
    });
  }
});
