import { expect } from 'chai';
import {
  checkNameLimit,
  decideName,
  type NamesInUse,
  parseName,
  parseNameSegment,
  parseNameToken,
  withNameWarnings,
} from '../../src/domain/name.ts';
import { aRole, HASH, NOW } from '../values.ts';

const NEW: NamesInUse = { count: 2, shown: undefined };

function inUseShowing(isProtected: boolean, count = 2): NamesInUse {
  return { count, shown: { id: aRole().id, isProtected } };
}

describe('a name', () => {
  it('is 1 to 63 of a to z, 0 to 9 and -, with no - at either end', () => {
    for (const name of ['a', '0', 'z9', 'a-b', 'a--b', '1-2', 'x'.repeat(63)]) {
      expect(parseName(name)).to.equal(name);
    }
    for (const name of ['', '-', '-a', 'a-', 'A', 'a_b', 'a.b', 'é', 'a\n', '\na', 'x'.repeat(64)]) {
      expect(parseName(name), name).to.deep.equal({ kind: 'refused', code: 'invalid_name' });
    }
  });

  it('refuses what is not text, even from callers without types', () => {
    for (const other of [5, ['a'], Object('a')]) {
      expect(parseName(other)).to.deep.equal({ kind: 'refused', code: 'invalid_name' });
    }
  });

  it('has an address that ends with its token, 22 of base62 after the last dash', () => {
    const token = parseNameToken('0123456789AZazBYbyCXcx');
    if (token === undefined) throw new Error('no token');
    for (const spelling of ['pr-42', '', 'Any Text', '-']) {
      expect(parseNameSegment(`${spelling}-${token}`)).to.deep.equal({ spelling, token });
    }
    expect(parseNameSegment(token), 'without a dash').to.equal(undefined);
    for (const text of ['', token.slice(1), `${token}0`, `${token.slice(1)}_`, `${token}\n`]) {
      expect(parseNameSegment(`pr-${text}`), text).to.equal(undefined);
      expect(parseNameToken(text), text).to.equal(undefined);
    }
  });

  it('is pointed only at a publication in service, and a new one only below the limit', () => {
    const decide = (names: NamesInUse, limit: number | null, role = aRole()) =>
      decideName(role, names, { now: NOW, limit });
    const full = { kind: 'refused', code: 'quota_exceeded', rule: 'names', actual: 3 };
    expect(decide(NEW, null)).to.deep.equal({ kind: 'created' });
    expect(decide(NEW, 3)).to.deep.equal({ kind: 'created' });
    for (const limit of [2, 1, 0]) expect(decide(NEW, limit)).to.deep.equal({ ...full, limit });
    expect(checkNameLimit(inUseShowing(false), 1)).to.equal(undefined);
    expect(decide(inUseShowing(false), 1)).to.deep.equal({ kind: 'unchanged' });
    const ended = { kind: 'refused', code: 'invalid_state', state: 'expired' };
    expect(decide(NEW, 0, aRole({ expiresAt: NOW }))).to.deep.equal(ended);
  });
});

describe('the warnings of a publication to a name', () => {
  const archive = Array.from({ length: 20 }, () => ({ rule: 'source_map', path: 'app.js.map' }) as const);
  const warningsFor = (names: NamesInUse, limit: number | null = null, role = aRole()) =>
    withNameWarnings([], role, names, { names: limit });

  it('warn if the earlier publication had a password, and this one has none', () => {
    expect(warningsFor(inUseShowing(true))).to.deep.equal([{ rule: 'password_dropped' }]);
    expect([
      warningsFor(inUseShowing(false)),
      warningsFor(NEW),
      warningsFor(inUseShowing(true), null, aRole({ passwordHash: HASH })),
    ]).to.deep.equal([[], [], []]);
  });

  it('name the number of names from nine tenths of the limit on, including a new one', () => {
    const nearly = (used: number) => [{ rule: 'names_nearly_full', used, most: 10 }];
    expect(warningsFor({ ...NEW, count: 7 }, 10)).to.deep.equal([]);
    expect(warningsFor({ ...NEW, count: 8 }, 10)).to.deep.equal(nearly(9));
    expect(warningsFor(inUseShowing(false, 8), 10)).to.deep.equal([]);
    expect(warningsFor(inUseShowing(false, 10), 10)).to.deep.equal(nearly(10));
    expect(warningsFor(inUseShowing(true, 9), 10)).to.deep.equal([
      { rule: 'password_dropped' },
      ...nearly(9),
    ]);
  });

  it('come before those of the archive, at most 20 in all', () => {
    expect(withNameWarnings(archive, aRole(), NEW, { names: null })).to.deep.equal(archive);
    const all = withNameWarnings(archive, aRole(), inUseShowing(true), { names: null });
    expect(all).to.deep.equal([{ rule: 'password_dropped' }, ...archive.slice(1)]);
  });
});
