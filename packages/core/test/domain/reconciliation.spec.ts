import { expect } from 'chai';
import type { ArchiveId } from '../../src/domain/identity.ts';
import { after, before, hours, minutes, seconds } from '../../src/domain/instant.ts';
import {
  decideTurn,
  finishComparison,
  MAX_IDS,
  NOT_COMPARED,
  withWindow,
} from '../../src/domain/reconciliation.ts';
import { NOW } from '../values.ts';

const ids = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `archive ${from + n}` as ArchiveId);

describe('a comparison of storage with the records', () => {
  it('counts all archives of a window, and stores the first 1,000 ids of a kind', () => {
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
      orphans: ids(0, MAX_IDS),
      missing: ids(0, MAX_IDS),
    });
  });

  it('begins once a day, resumes after two minutes without progress, and keeps a refusal until it ends', () => {
    const options = { isForced: false, takesOver: false };
    const found = { ...NOT_COMPARED, savedAt: NOW, isRefused: true, compared: 5 };
    const startsOver = { kind: 'compare', from: { ...NOT_COMPARED, isRefused: true } };
    const [resumes, leaves] = [
      { kind: 'compare', from: found },
      { kind: 'leave', found },
    ];
    expect(decideTurn(undefined, NOW, options)).to.deep.equal({ kind: 'compare', from: NOT_COMPARED });
    expect(decideTurn(found, after(NOW, hours(24)), options)).to.deep.equal(startsOver);
    expect(decideTurn(found, NOW, { ...options, isForced: true })).to.deep.equal(startsOver);
    expect(decideTurn(found, after(NOW, minutes(2)), options)).to.deep.equal(resumes);
    expect(decideTurn(found, NOW, { ...options, takesOver: true })).to.deep.equal(resumes);
    for (const now of [NOW, before(NOW, minutes(1))])
      expect(decideTurn(found, now, options)).to.deep.equal(leaves);
    const done = { ...found, isUnderWay: false };
    expect(decideTurn(done, after(NOW, hours(23)), options)).to.deep.equal({ kind: 'leave', found: done });
  });

  it('begins anew if a clock that was ahead dated the last one', () => {
    const found = { ...NOT_COMPARED, savedAt: after(NOW, hours(24 * 365)), isUnderWay: false };
    const turn = decideTurn(found, NOW, { isForced: false, takesOver: false });
    expect(turn).to.deep.equal({ kind: 'compare', from: NOT_COMPARED });
  });

  it('leaves the comparison of a node whose clock is ahead by less than two minutes', () => {
    const savedAt = after(NOW, seconds(119));
    for (const isUnderWay of [true, false]) {
      const found = { ...NOT_COMPARED, savedAt, isUnderWay };
      const turn = decideTurn(found, NOW, { isForced: false, takesOver: false });
      expect(turn).to.deep.equal({ kind: 'leave', found });
    }
  });

  it('ends without ids, and with counts that leave out removed orphans', () => {
    const found = { ...NOT_COMPARED, compared: 10, unnamed: 3, orphans: ids(0, 3), missing: ids(3, 1) };
    const end = { ...found, isUnderWay: false, orphans: [], missing: [] };
    expect(finishComparison(found, true)).to.deep.equal({ ...end, isRefused: true });
    expect(finishComparison(found, false)).to.deep.equal({
      ...end,
      isRefused: false,
      compared: 7,
      unnamed: 0,
    });
  });
});
