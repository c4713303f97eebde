import { expect } from 'chai';
import { urlsOf } from '../../src/observe/css-urls.ts';

describe('the URLs of a style sheet', () => {
  for (const [css, urls] of [
    ['a{background:url(a.png)}', ['a.png']],
    ['a{background: URL( "a b.png" ) no-repeat, url(\'c.png\')}', ['a b.png', 'c.png']],
    ['@font-face{src:url(a.woff2)format("woff2"),url("a.woff")format("woff")}', ['a.woff2', 'a.woff']],
    ['@import "a.css"; @import url(b.css) layer(x); @IMPORT \'c.css\' print;', ['a.css', 'b.css', 'c.css']],
    ['@import/* "no.css" */"a.css";', ['a.css']],
    ['/* url(no.png) */a{b:url(a.png)}/* url(no.png)', ['a.png']],
    ['a::before{content:"url(no.png)"}b{c:url(b.png)}', ['b.png']],
    [`a{content:'it\\'s url(no.png)'}b{c:url(b.png)}`, ['b.png']],
    ['a{content:"unended\n}b{c:url(b.png)}', ['b.png']],
    ['a{b:url(a\\ b\\2e png)}', ['a b.png']],
    ['a{b:url("a\\\nb.png")}', ['ab.png']],
    [':root{--image:url(no.png);color:red}b{c:url(b.png)}', ['b.png']],
    [':root{--a:url("data:image/svg+xml;utf8,<svg xmlns=\'x\'/>")}b{c:url(b.png)}', ['b.png']],
    ['.block--wide:hover{b:url(b.png)}', ['b.png']],
    ['a{b:myurl(no.png);c:-url(no.png)}', []],
    ['a{b:url(no"o.png);c:url(no(o.png);d:url(no\\)o.png)}', []],
    ['a{b:url()}', ['']],
    ['a{b:url(unended', []],
    ['@importance "no.css";', []],
    ['@import;a{content:"no.css"}', []],
  ] as const) {
    it(`are ${JSON.stringify(urls)} in ${JSON.stringify(css)}`, () => {
      expect([...urlsOf(css)]).to.deep.equal(urls);
    });
  }

  // A reader whose time grows with the square of the length would exceed the test's time limit.
  for (const hostile of [
    'url(',
    'url("',
    '@import ',
    '"',
    "'\n",
    '/*',
    '--a:',
    '--a',
    '-',
    'url(    ',
    '\\',
    'url(a)',
  ]) {
    it(`are read from two million characters of ${JSON.stringify(hostile)}`, () => {
      expect([...urlsOf(hostile.repeat(2_000_000 / hostile.length))].length).to.be.at.most(400_000);
    });
  }
});
