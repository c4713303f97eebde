import { expect } from 'chai';
import { paletteOf } from '../src/internal.ts';

describe('The palette', () => {
  it('gives a sheet only the names that it uses', () => {
    const sheet = 'h1{font-size:var(--title)}p{border-radius:var(--radius);color:var(--own)}';
    expect(paletteOf(sheet)).to.equal(':root{color-scheme:light dark;\n--title:1.5rem;\n--radius:8px}\n');
  });
});
