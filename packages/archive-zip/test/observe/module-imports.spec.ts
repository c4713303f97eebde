import { expect } from 'chai';
import { importsOf } from '../../src/observe/module-imports.ts';

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
