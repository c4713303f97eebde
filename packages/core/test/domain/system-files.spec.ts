import { expect } from 'chai';
import { isAppleDouble, isSystemEntry, mayBeAppleDouble } from '../../src/domain/entry-path.ts';

describe('isSystemEntry', () => {
  for (const path of [
    '__MACOSX/',
    '__MACOSX/a/._b',
    '__MACOSX',
    '.DS_Store',
    'a/.DS_Store',
    'Thumbs.db',
    'a/b/desktop.ini',
    'a/DESKTOP.INI',
    'thumbs.DB',
    '__macosx/a',
    'Icon\r',
    'a/Icon\r',
  ]) {
    it(`recognizes ${JSON.stringify(path)}`, () => {
      expect(isSystemEntry(path)).to.equal(true);
    });
  }

  for (const path of [
    'a/__MACOSX/b',
    '__MACOSX2/a',
    'ds_store',
    'a.DS_Store/b',
    'thumbs.db.html',
    'Icon',
    'icon\r',
    'Icon\r/a',
    '._a',
  ]) {
    it(`leaves ${JSON.stringify(path)} to the site`, () => {
      expect(isSystemEntry(path)).to.equal(false);
    });
  }
});

describe('AppleDouble', () => {
  it('is recognized by a name that begins with ._, and by its first four bytes', () => {
    expect(['._a', 'a/._b.html', 'a/._Icon\r'].filter(mayBeAppleDouble)).to.have.length(3);
    expect(['._', 'a._b', '._a/b', 'a/._b/'].filter(mayBeAppleDouble)).to.deep.equal([]);
    expect(isAppleDouble(Uint8Array.of(0, 5, 0x16, 7, 0))).to.equal(true);
    for (const data of [[], [0, 5, 0x16], [0, 5, 0x16, 0]])
      expect(isAppleDouble(Uint8Array.from(data))).to.equal(false);
  });
});
