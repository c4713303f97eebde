import { expect } from 'chai';
import { paletteOf } from '../src/internal.ts';

describe('The palette', () => {
  it('gives a sheet the names that it uses, and no other', () => {
    expect(paletteOf('radius', 'title')).to.equal(
      ':root{color-scheme:light dark;\n--radius:8px;\n--title:1.5rem}\n',
    );
    // @ts-expect-error no such name
    void paletteOf('brand');
  });
});
