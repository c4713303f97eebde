import { expect } from 'chai';
import type { ArchiveId } from '../../src/domain/identity.ts';
import { MOST_IDS, NOT_COMPARED, withWindow } from '../../src/domain/reconciliation.ts';

const ids = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `archive ${from + n}` as ArchiveId);

describe('a comparison of storage with the records', () => {
  it('counts all of a window, and remembers the first 1,000 of a kind', () => {
    const found = {
      ...NOT_COMPARED,
      compared: 2_000,
      unnamed: 999,
      orphans: ids(0, 999),
      missing: ids(0, 999),
    };
    const window = {
      upTo: ids(1, 1)[0] as ArchiveId,
      compared: 7,
      orphans: ids(999, 3),
      missing: ids(999, 2),
    };
    expect(withWindow(found, window)).to.deep.equal({
      ...found,
      upTo: window.upTo,
      compared: 2_007,
      unnamed: 1_002,
      orphans: ids(0, MOST_IDS),
      missing: ids(0, MOST_IDS),
    });
  });
});
