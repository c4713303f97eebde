import { expect } from 'chai';
import { importsOf, urlsOf, webAppManifestUrls } from '../../src/observe/file-urls.ts';

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

describe('the imports of a module', () => {
  for (const [script, urls] of [
    ['import "./a.js";import x from"../b.js"', ['./a.js', '../b.js']],
    [`import x, { y as z, default as w } from '/c.js'\nimport * as n from './d.js'`, ['/c.js', './d.js']],
    ['import{a as b}from"./a.js";import*as c from"./c.js";', ['./a.js', './c.js']],
    ['import {\n  a, // the first\n  b,\n} from "./a.js"', ['./a.js']],
    [
      'export * from "./a.js"; export * as n from "./b.js"; export { x } from "./c.js"',
      ['./a.js', './b.js', './c.js'],
    ],
    ['export { a };\nimport "./b.js"', ['./b.js']],
    ['#!/usr/bin/env node\n"use strict";\n/* @license * */ // x\nimport "./a.js"', ['./a.js']],
    ['\u{feff}import data from "./a.json" with { type: "json" };import "./b.js"', ['./a.json', './b.js']],
    ['import defer * as a from "./a.js"', ['./a.js']],
    [
      'import React from "react"; import "https://example.com/x.js"; import "@app/x"; import "./a.js"',
      ['./a.js'],
    ],
    ['const x = 1; import "./late.js"', []],
    ['const text = `\nimport "./no.js"\n`', []],
    ['import("./no.js"); import.meta.url; "./no.js"', []],
    ['importScripts("./no.js")', []],
    ['import x from', []],
    ['"from \'./no.js\'"; import "./a.js"', []],
    ['export default "./no.js"', []],
    ['export const a = from("./no.js")', []],
    ['', []],
  ] as const) {
    it(`are ${JSON.stringify(urls)} in ${JSON.stringify(script)}`, () => {
      expect(importsOf(script)).to.deep.equal(urls);
    });
  }

  // A reader whose time grows with the square of the length would exceed the test's time limit.
  for (const hostile of [
    'import ',
    'import a from ',
    'from ',
    '/*',
    '/**/',
    '//',
    '"use a"',
    'export {',
    'export {} ',
    ' ',
    '*',
  ]) {
    it(`are read from two million characters of ${JSON.stringify(hostile)}`, () => {
      expect(importsOf(hostile.repeat(2_000_000 / hostile.length))).to.deep.equal([]);
      expect(importsOf(`import {${hostile.repeat(2_000_000 / hostile.length)}`)).to.deep.equal([]);
    });
  }
});

const urls = (manifest: unknown) => webAppManifestUrls(JSON.stringify(manifest));

describe('the URLs of a web app manifest', () => {
  it('are its images, and the pages that it opens', () => {
    const found = urls({
      start_url: '/start',
      icons: [{ src: 'a.png', sizes: '1x1' }, { src: 'b.png' }],
      screenshots: [{ src: 's.png' }],
      shortcuts: [{ url: '/new', icons: [{ src: 'n.png' }] }],
      share_target: { action: '/share' },
      file_handlers: [{ action: '/open' }],
      scope: '/no',
      related_applications: [{ url: 'no' }],
    });
    const [images, pages] = [
      found.filter(({ navigation }) => !navigation),
      found.filter(({ navigation }) => navigation),
    ];
    expect(images.map(({ url }) => url)).to.deep.equal(['a.png', 'b.png', 's.png', 'n.png']);
    expect(pages.map(({ url }) => url)).to.deep.equal(['/start', '/new', '/share', '/open']);
  });

  it('do not come from a file that is not a manifest', () => {
    for (const value of [
      null,
      1,
      'x',
      [],
      [{ icons: [{ src: 'a' }] }],
      { icons: { 16: 'a.png' } },
      { icons: ['a'] },
    ]) {
      expect(urls(value), JSON.stringify(value)).to.deep.equal([]);
    }
    for (const text of ['', '{', '{"icons":[{"src":1},null]}', `{"start_url":"/"}${' '.repeat(262_144)}`]) {
      expect(webAppManifestUrls(text)).to.deep.equal([]);
    }
    expect(webAppManifestUrls('\u{feff}{"start_url":"/"}')).to.have.lengthOf(1);
  });
});
