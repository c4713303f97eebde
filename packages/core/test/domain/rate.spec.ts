import { expect } from 'chai';
import {
  after,
  days,
  duration,
  hours,
  type Instant,
  type Rate,
  type RateMark,
  seconds,
} from '../../src/index.ts';
import { parseRate, rateLeft, takenFrom } from '../../src/internal.ts';
import { NOW } from '../values.ts';

/** Takes all that remains: returns how many, and the mark afterwards. */
function takeAll(rate: Rate, from: RateMark | null, now: Instant): { taken: number; mark: RateMark | null } {
  let mark = from;
  let taken = 0;
  while (rateLeft(rate, mark, now).remaining > 0) {
    mark = takenFrom(rate, mark, now);
    taken += 1;
  }
  return { taken, mark };
}

describe('A rate', () => {
  it('is written as a count per seconds, minutes, hours or days, or off', () => {
    expect(parseRate('600/1h')).to.deep.equal({ count: 600, window: hours(1) });
    expect(parseRate('7/15m')).to.deep.equal({ count: 7, window: seconds(900) });
    expect(parseRate('1/1d')).to.deep.equal({ count: 1, window: days(1) });
    expect(parseRate('1000000/1s')).to.deep.equal({ count: 1_000_000, window: seconds(1) });
    expect(parseRate('off')).to.equal('off');
  });

  it('is not written in any other way', () => {
    for (const text of [
      '',
      'OFF',
      '0/1s',
      '-1/1s',
      '1/0s',
      '1/1w',
      '1/s',
      '1',
      '1/1s ',
      '1.5/1s',
      '1000001/1s',
    ]) {
      expect(parseRate(text), text).to.equal(undefined);
    }
  });

  it('admits a burst of its count, and then one in each share of its window', () => {
    for (const count of [1, 3, 7, 600, 6_000]) {
      const rate: Rate = { count, window: hours(1) };
      const { taken, mark } = takeAll(rate, null, NOW);
      expect(taken, `${count}`).to.equal(count);
      const { nextAt, wholeAt, remaining } = rateLeft(rate, mark, NOW);
      expect([nextAt, remaining]).to.deep.equal([after(NOW, duration(Math.ceil(hours(1) / count))), 0]);
      expect(takeAll(rate, mark, (nextAt - 1) as Instant).taken, 'a millisecond early').to.equal(0);
      expect(takeAll(rate, mark, nextAt).taken, 'a share later').to.equal(1);
      expect(takeAll(rate, mark, wholeAt).taken, 'when it is full again').to.equal(count);
      expect(wholeAt).to.be.at.most(after(NOW, hours(1)));
    }
  });

  it('admits the next request now while any remains', () => {
    const rate: Rate = { count: 2, window: hours(1) };
    expect(rateLeft(rate, takenFrom(rate, null, NOW), NOW)).to.deep.equal({
      limit: 2,
      window: hours(1),
      remaining: 1,
      nextAt: NOW,
      wholeAt: after(NOW, seconds(1_800)),
    });
  });

  it('admits a higher cost when as much remains, and returns when that is', () => {
    const rate: Rate = { count: 12, window: seconds(12) };
    const mark = takenFrom(rate, null, NOW, 10);
    expect(rateLeft(rate, mark, NOW, 10)).to.include({ remaining: 2, nextAt: after(NOW, seconds(8)) });
    expect(rateLeft(rate, mark, NOW, 2).nextAt).to.equal(NOW);
    const later = after(NOW, seconds(8));
    expect(rateLeft(rate, takenFrom(rate, mark, later, 10), later).remaining).to.equal(0);
  });

  it('takes the whole rate for a cost above its count', () => {
    const rate: Rate = { count: 3, window: seconds(3) };
    expect(rateLeft(rate, null, NOW, 10).nextAt).to.equal(NOW);
    const mark = takenFrom(rate, null, NOW, 10);
    expect(rateLeft(rate, mark, NOW, 10)).to.include({ remaining: 0, nextAt: after(NOW, seconds(3)) });
  });

  it('refills to its count and no further while nothing is taken', () => {
    const rate: Rate = { count: 2, window: seconds(1) };
    const { mark } = takeAll(rate, null, NOW);
    expect(takeAll(rate, mark, after(NOW, days(30))).taken).to.equal(2);
  });

  it('ignores a mark that another rate or a clock far ahead has left', () => {
    const rate: Rate = { count: 600, window: hours(1) };
    const { mark: ofADay } = takeAll({ count: 30, window: days(1) }, null, NOW);
    const { mark: ofTomorrow } = takeAll(rate, null, after(NOW, days(1)));
    for (const mark of [ofADay, ofTomorrow]) expect(takeAll(rate, mark, NOW).taken).to.equal(600);
  });
});
