import { expect } from 'chai';
import fc from 'fast-check';
import { candidatesOf, refreshTarget, tagsOf } from '../../src/observe/html-tags.ts';

const NAMES = new Set(['a', 'img', 'script', 'link']);
const tags = (html: string): object[] => [...tagsOf(html, NAMES, /x\(/)];

describe('tagsOf', () => {
  for (const [html, expected] of [
    ['<a href="x">', [{ name: 'a', href: 'x' }]],
    ["<a href='x'>", [{ name: 'a', href: 'x' }]],
    ['<a href=x>', [{ name: 'a', href: 'x' }]],
    ['<A HREF = "x" >', [{ name: 'a', href: 'x' }]],
    ['<a\nhref="x"\n>', [{ name: 'a', href: 'x' }]],
    ['<a\thref="x">', [{ name: 'a', href: 'x' }]],
    ['<a\rhref=x\rrel=y>', [{ name: 'a', href: 'x', rel: 'y' }]],
    ['<a\u0001href="x">', []],
    ['xa href="y">', []],
    ['<b>xa href="y">', []],
    ['<b>a href="y">', []],
    ['<z title="<a href=x>">', []],
    ['<{<a href="x">', [{ name: 'a', href: 'x' }]],
    ['<a title="y>" href="x">', [{ name: 'a', href: 'x' }]],
    ['<a class="b>c" href="x">', [{ name: 'a', href: 'x' }]],
    ['<a href="x" href="y">', [{ name: 'a', href: 'x' }]],
    ['<a data-href="x">', [{ name: 'a' }]],
    ['<a href>', [{ name: 'a', href: '' }]],
    ['<p ONclick="x()" on=x() onInput=ax() onblur=y>', [{ name: 'p', handlers: ['x()', 'ax()'] }]],
    ['<p once-more=x() ion=x() only-2=x()>', []],
    ['<img src="x"/>', [{ name: 'img', src: 'x' }]],
    ['<img/src=x>', [{ name: 'img', src: 'x' }]],
    ['<img\vsrc=x>', []],
    ['<link rel=icon href=x>', [{ name: 'link', rel: 'icon', href: 'x' }]],
    [
      '<a href="x"><b><a href="y">',
      [
        { name: 'a', href: 'x' },
        { name: 'a', href: 'y' },
      ],
    ],
    ['<area href="x"><abbr href="x">', []],
    ['</a href="x"><? a href="x"?><!a href="x">', []],
    ['<!-- <a href="x"> --><a href="y">', [{ name: 'a', href: 'y' }]],
    ['<!-- > <a href="x"> --><a href="y">', [{ name: 'a', href: 'y' }]],
    ['<!--><a href="y">', [{ name: 'a', href: 'y' }]],
    ['<!x <a href="x"><a href="y">', [{ name: 'a', href: 'y' }]],
    ['<?x <a href="x"><a href="y">', [{ name: 'a', href: 'y' }]],
    ['</p <a href="x"><a href="y">', [{ name: 'a', href: 'y' }]],
    ['a < b <a href="y">', [{ name: 'a', href: 'y' }]],
    [
      '<script src="x">"<a href=\'y\'>"</script><a href="z">',
      [
        { name: 'script', src: 'x', text: '"<a href=\'y\'>"' },
        { name: 'a', href: 'z' },
      ],
    ],
    ['<style>a::before{content:"<a href=y>"}</STYLE><a href="z">', [{ name: 'a', href: 'z' }]],
    ['<template><a href="{{x}}"></template><a href="z">', [{ name: 'a', href: 'z' }]],
    ['<a = href="x">', [{ name: 'a', href: 'x' }]],
    ['<a href="x"', []],
    ['<a href="x', []],
    ['<script>', [{ name: 'script' }]],
    ['<script><a href="x">', [{ name: 'script', text: '<a href="x">' }]],
    ['<script>xxscript<a href="x">', [{ name: 'script', text: 'xxscript<a href="x">' }]],
    [
      '<script></b><a href="x"></script><a href="y">',
      [
        { name: 'script', text: '</b><a href="x">' },
        { name: 'a', href: 'y' },
      ],
    ],
    ['<style></styles><a href="x"></style\n><a href="y">', [{ name: 'a', href: 'y' }]],
    ['<p STYLE="a:b"><p class=x>', [{ name: 'p', style: 'a:b' }]],
    [
      '<img srcset=a imagesrcset=b poster=c data=d http-equiv=e content=f name=g xlink:href=h>',
      [
        {
          name: 'img',
          srcset: 'a',
          imagesrcset: 'b',
          poster: 'c',
          data: 'd',
          'http-equiv': 'e',
          content: 'f',
          metaName: 'g',
          'xlink:href': 'h',
        },
      ],
    ],
    ['<', []],
    ['', []],
  ] as const) {
    it(`reads ${JSON.stringify(html)}`, () => {
      expect(tags(html)).to.deep.equal(expected);
    });
  }

  for (const name of ['script', 'style', 'textarea', 'title', 'template', 'xmp', 'noembed', 'noframes']) {
    it(`reads the content of ${name} as text`, () => {
      const html = `<${name}><a href="x"></a></${name}><a href="y">`;
      expect([...tagsOf(html, new Set(['a']))]).to.deep.equal([{ name: 'a', href: 'y' }]);
    });
  }

  it('ends on any text', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      'a',
      '"',
      "'",
      '=',
      ' ',
      '/',
      '<!--',
      '-->',
      '<script',
      '</script',
      'href',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(tags(pieces.join('')).length).to.be.at.most(pieces.length);
      }),
    );
  });

  for (const hostile of [
    '<a ',
    '<a href="',
    "<a href='",
    '<a href=',
    '<a href ',
    '<',
    '<!--',
    '<!-- -',
    '</',
    '<script>',
    '<script></scrip',
    '<a href="x" ',
    '<a =',
    '<a href = "x',
    '<aaaaaaaaaaaaaaaaaaaaaaaaa',
  ]) {
    // A reader whose time grows with the square of the length would exceed the test's time limit.
    it(`reads two million characters of ${JSON.stringify(hostile)}`, () => {
      const text = hostile.repeat(2_000_000 / hostile.length);
      expect(tags(text).length).to.be.at.most(text.length / 3);
    });
  }
});

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
