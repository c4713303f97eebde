import { expect } from 'chai';
import { judgeInChunks } from '../../src/domain/archive-rules.ts';
import { normalizeNames } from '../../src/domain/entry-path.ts';
import { defaultLimits, type ListedEntry } from '../../src/index.ts';

const from = (host: number, ...names: string[]): { name: string; host: number }[] =>
  names.map((name) => ({ name, host }));

describe('normalizeNames', () => {
  it('reads \\ as / if no name has a / and every host is MS-DOS, NTFS or VFAT', () => {
    for (const host of [0, 10, 11]) {
      expect(normalizeNames(from(host, 'index.html', 'a\\b\\c'))).to.deep.equal(['index.html', 'a/b/c']);
    }
    expect(normalizeNames([...from(0, 'a\\b'), ...from(10, 'c\\d')])).to.deep.equal(['a/b', 'c/d']);
  });

  it('does not change \\ if a name has a /, or a host is another one', () => {
    expect(normalizeNames(from(0, 'a\\b', 'c/d'))).to.deep.equal(['a\\b', 'c/d']);
    expect(normalizeNames([...from(0, 'a\\b'), ...from(3, 'c')])).to.deep.equal(['a\\b', 'c']);
    expect(normalizeNames(from(3, 'a\\b'))).to.deep.equal(['a\\b']);
  });

  it('removes ./ if every name begins with it, and ignores an entry ./', () => {
    expect(normalizeNames(from(3, './', './a', './b/c'))).to.deep.equal([undefined, 'a', 'b/c']);
  });

  it('removes ./ once, and not if a name has none', () => {
    expect(normalizeNames(from(3, '././a'))).to.deep.equal(['./a']);
    expect(normalizeNames(from(3, './a', 'b'))).to.deep.equal(['./a', 'b']);
    expect(normalizeNames(from(3, './/a'))).to.deep.equal(['/a']);
  });

  it('returns no names for an empty archive', () => {
    expect(normalizeNames([])).to.deep.equal([]);
  });

  it('replaces the \\ of a few names in each step when an archive is judged', () => {
    const replaceAll = Object.getOwnPropertyDescriptor(String.prototype, 'replaceAll') as PropertyDescriptor;
    let replaced = 0;
    const value = function counted(this: string, ...args: unknown[]): unknown {
      replaced += 1;
      return Reflect.apply(replaceAll.value, this, args);
    };
    Object.defineProperty(String.prototype, 'replaceAll', { ...replaceAll, value });
    try {
      const names = Array.from({ length: 400 }, (_, n) => `${'a\\'.repeat(500)}${n}`);
      judgeInChunks(
        { entries: from(0, ...names) as ListedEntry[], problems: [], trusted: true },
        defaultLimits,
      ).next();
    } finally {
      Object.defineProperty(String.prototype, 'replaceAll', replaceAll);
    }
    expect(replaced).to.be.within(1, 200);
  });
});
