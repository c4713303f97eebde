import { expect } from 'chai';
import fc from 'fast-check';
import {
  entryPath,
  foldPath,
  forbiddenSegment,
  isSystemEntry,
  unsafePath,
} from '../../src/domain/entry-path.ts';

describe('unsafePath', () => {
  for (const path of [
    'index.html',
    'a/b/c.css',
    '.well-known/x',
    'a/..b',
    'a...',
    'é/日本.html',
    'a b',
    'a/b/',
  ]) {
    it(`passes ${JSON.stringify(path)}`, () => {
      expect(unsafePath(path)).to.equal(undefined);
    });
  }

  for (const path of [
    '',
    '/',
    '/a',
    '//a',
    'a//b',
    'a//',
    '.',
    './a',
    'a/.',
    '..',
    '../a',
    'a/../b',
    'a/..',
    'C:/a',
    'c:a',
    'a:b',
    'a\\b',
    '\\\\server\\a',
    'a\0',
    'a\n',
    'a\x7f',
    'a\u009f',
  ]) {
    it(`refuses ${JSON.stringify(path)}`, () => {
      expect(unsafePath(path)).to.be.a('string');
    });
  }

  for (const [character, bytes] of [
    ['a', 1],
    ['é', 2],
    ['日', 3],
    ['🙂', 4],
  ] as const) {
    it(`passes 1,024 bytes and refuses 1,025, in characters of ${bytes}`, () => {
      const longest = character.repeat(Math.floor(1_024 / bytes)) + 'a'.repeat(1_024 % bytes);
      expect(unsafePath(longest)).to.equal(undefined);
      expect(unsafePath(`${longest}a`)).to.be.a('string');
    });
  }

  it('tells the faults of a path apart', () => {
    const faults = ['', 'a\n', 'a\\b', 'a:b', '/a', 'a//b', 'a'.repeat(1_025)].map(unsafePath);
    expect(new Set(faults).size).to.equal(7);
    for (const path of ['../a', 'a/..', './a', 'a/.', 'a//']) expect(unsafePath(path)).to.equal(faults[5]);
  });

  it('agrees with a check of segment by segment', () => {
    const odd = fc.constantFrom('.', '..', '', 'a', 'b-c', '@', ' ', ':', '\\', '\0', 'é', '_');
    fc.assert(
      fc.property(odd, odd, odd, (a, b, c) => {
        const name = [a, b, c].join('/');
        const path = name.endsWith('/') ? name.slice(0, -1) : name;
        const safe = path.split('/').every((segment) => /^(?!\.{1,2}$)[^:\\\0/]+$/.test(segment));
        expect(unsafePath(name) === undefined).to.equal(safe);
      }),
    );
  });

  it('proves paths of files alone', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const safe = unsafePath(name) === undefined && !name.endsWith('/');
        expect(entryPath(name)).to.equal(safe ? name : undefined);
      }),
    );
    expect(entryPath('a')).to.equal('a');
    expect(entryPath('a/')).to.equal(undefined);
  });
});

describe('forbiddenSegment', () => {
  for (const path of ['.git', 'a/.git/b', '.ENV', 'x/Node_Modules/', 'tmp', 'TMP/a', 'log', 'a/log']) {
    it(`finds one in ${JSON.stringify(path)}`, () => {
      expect(forbiddenSegment(path)).to.be.a('string');
    });
  }

  for (const path of [
    '.gitignore',
    'git',
    '.env.local',
    'blog',
    'logs/a',
    'login',
    'template',
    'a.tmp',
    'node_modules2',
  ]) {
    it(`finds none in ${path}`, () => {
      expect(forbiddenSegment(path)).to.equal(undefined);
    });
  }
});

describe('isSystemEntry', () => {
  for (const path of [
    '__MACOSX/',
    '__MACOSX/a/._b',
    '__MACOSX',
    '.DS_Store',
    'a/.DS_Store',
    'Thumbs.db',
    'a/b/desktop.ini',
  ]) {
    it(`knows ${path}`, () => {
      expect(isSystemEntry(path)).to.equal(true);
    });
  }

  for (const path of ['a/__MACOSX/b', '__MACOSX2/a', 'ds_store', 'a.DS_Store/b', 'thumbs.db.html']) {
    it(`leaves ${path} to the site`, () => {
      expect(isSystemEntry(path)).to.equal(false);
    });
  }
});

describe('foldPath', () => {
  const same = (a: string, b: string): boolean => foldPath(a) === foldPath(b);

  it('takes upper and lower case for the same', () => {
    for (const [a, b] of [
      ['Index.HTML', 'index.html'],
      ['ÉTÉ', 'été'],
      ['Σ', 'ς'],
      ['\u212a', 'k'],
      ['ſ', 's'],
      ['ẞ', 'ß'],
      ['Ꭰ', 'ꭰ'],
    ] as const) {
      expect(same(a, b), `${a} ${b}`).to.equal(true);
    }
  });

  it('takes composed and decomposed letters for the same', () => {
    expect(same('e\u0301', 'é')).to.equal(true);
  });

  it('keeps apart what only a longer mapping, or Turkish, would make the same', () => {
    for (const [a, b] of [
      ['ß', 'ss'],
      ['ﬁ', 'fi'],
      ['ı', 'i'],
      ['İ', 'i'],
    ] as const) {
      expect(same(a, b), `${a} ${b}`).to.equal(false);
    }
  });

  it('folds every character to one that is the same but for case', () => {
    for (let code = 0x80; code < 0x1_10_00; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const composed = String.fromCodePoint(code).normalize('NFC');
      const folded = foldPath(composed);
      if (folded === composed) continue;
      expect(new RegExp(`^${folded}$`, 'iu').test(composed), code.toString(16)).to.equal(true);
    }
  });

  it('folds a path as it folds each of its characters', () => {
    const letter = fc.constantFrom(...'aBéÉßẞıİiIΣσςſKﬁǅ日.-/ ');
    fc.assert(
      fc.property(fc.array(letter), (letters) => {
        expect(foldPath(letters.join(''))).to.equal(letters.map(foldPath).join(''));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same when done again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (path) => {
        expect(foldPath(foldPath(path))).to.equal(foldPath(path));
      }),
    );
  });
});
