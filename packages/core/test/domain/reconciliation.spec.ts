import { expect } from 'chai';
import type { ArchiveId } from '../../src/domain/identity.ts';
import {
  after,
  before,
  type Duration,
  days,
  duration,
  hours,
  type Instant,
  minutes,
  seconds,
} from '../../src/domain/instant.ts';
import {
  caughtUp,
  clocksDiffer,
  decideTurn,
  finishComparison,
  firstRemovalClock,
  MAX_IDS,
  movedRemovalClock,
  NOT_COMPARED,
  type RemovalClock,
  type SweepClocks,
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

const UP = days(3);
const NEVER_STEPPED: RemovalClock = { reached: NOW, boot: 'first', uptime: UP, steppedAt: null };
const AHEAD = after(NOW, days(9));

const clocks = (
  now: Instant,
  uptime: number,
  { boot = 'first', database }: { readonly boot?: string; readonly database?: Instant } = {},
): SweepClocks => ({ now, uptime: { boot, elapsed: duration(uptime) }, database });

describe('The clock of removal', () => {
  const moves = (last: RemovalClock, at: SweepClocks): number =>
    movedRemovalClock(last, at).reached - last.reached;

  it('begins at the earliest end of a role whose archive is stored, or at now', () => {
    const ended = before(NOW, days(2));
    expect(firstRemovalClock(clocks(NOW, UP), ended).reached).to.equal(ended);
    expect(firstRemovalClock(clocks(NOW, UP), AHEAD).reached).to.equal(NOW);
    expect(firstRemovalClock(clocks(NOW, UP), undefined).reached).to.equal(NOW);
  });

  it('moves by at most twice the time that the machine was up since the last sweep', () => {
    expect(moves(NEVER_STEPPED, clocks(AHEAD, UP + minutes(7)))).to.equal(minutes(14));
    expect(moves(NEVER_STEPPED, clocks(after(NOW, minutes(7)), UP + minutes(7)))).to.equal(minutes(7));
    expect(moves(NEVER_STEPPED, clocks(AHEAD, UP))).to.equal(0);
    expect(moves(NEVER_STEPPED, clocks(AHEAD, UP + days(1))), 'a nightly job').to.equal(days(2));
  });

  it('moves by no more in many sweeps than in one', () => {
    let clock = NEVER_STEPPED;
    for (let n = 1; n <= 100; n += 1) clock = movedRemovalClock(clock, clocks(AHEAD, UP + n * 10));
    expect(clock.reached - NOW).to.equal(2_000);
  });

  it('never moves back, and does not catch up later for the time in which a clock was behind', () => {
    const behind = movedRemovalClock(NEVER_STEPPED, clocks(before(NOW, days(1)), UP + hours(5)));
    expect(behind.reached).to.equal(NOW);
    expect(moves(behind, clocks(AHEAD, UP + hours(5) + 1))).to.equal(2);
  });

  describe('without a clock of the database', () => {
    it('moves by 20 minutes after a restart, once the machine was up for 10', () => {
      const boot = 'second';
      expect(moves(NEVER_STEPPED, clocks(AHEAD, minutes(10) - 1, { boot }))).to.equal(0);
      expect(moves(NEVER_STEPPED, clocks(AHEAD, minutes(10), { boot }))).to.equal(minutes(20));
      expect(
        moves(NEVER_STEPPED, clocks(AHEAD, minutes(10))),
        'a lower uptime of the same host name',
      ).to.equal(minutes(20));
      const next = after(NOW, minutes(3));
      expect(moves(NEVER_STEPPED, clocks(next, minutes(10), { boot }))).to.equal(minutes(3));
    });

    it('does not move while a machine restarts repeatedly', () => {
      let clock = NEVER_STEPPED;
      for (let n = 0; n < 500; n += 1) {
        clock = movedRemovalClock(clock, clocks(AHEAD, minutes(9), { boot: `boot ${n}` }));
      }
      expect(clock.reached).to.equal(NOW);
    });

    it('moves by 20 minutes once in 10 minutes of uptime, however many host names a machine has', () => {
      let clock = NEVER_STEPPED;
      for (let n = 1; n <= 20; n += 1) {
        clock = movedRemovalClock(clock, clocks(AHEAD, UP + n * minutes(5), { boot: `name ${n}` }));
      }
      expect(clock.reached - NOW).to.equal(0);
      expect(moves(clock, clocks(AHEAD, clock.uptime + minutes(10), { boot: 'last' }))).to.equal(minutes(20));
    });
  });

  describe('with a clock of the database', () => {
    const afterSweeps = (every: Duration, sweeps: number): RemovalClock => {
      let clock: RemovalClock = { ...NEVER_STEPPED, steppedAt: NOW };
      for (let n = 1; n <= sweeps; n += 1) {
        const database = after(NOW, duration(n * every));
        const boot = n % 2 === 0 ? 'first' : 'second';
        clock = movedRemovalClock(clock, clocks(AHEAD, UP + n * every, { boot, database }));
      }
      return clock;
    };

    it('moves by 20 minutes once in 10 minutes while nodes take turns', () => {
      expect(afterSweeps(minutes(5), 24).reached - NOW).to.equal(12 * minutes(20));
      expect(afterSweeps(minutes(1), 59).reached - NOW).to.equal(5 * minutes(20));
    });

    it('moves, too, after the clock of the database was set back', () => {
      const last = { ...NEVER_STEPPED, steppedAt: after(NOW, days(300)) };
      const other = { boot: 'second', database: NOW };
      expect(moves(last, clocks(AHEAD, UP, other))).to.equal(minutes(20));
    });
  });

  it('is at now once a person has confirmed that, and still never moves back', () => {
    expect(caughtUp(NEVER_STEPPED, AHEAD).reached).to.equal(AHEAD);
    expect(caughtUp(NEVER_STEPPED, before(NOW, days(1))).reached).to.equal(NOW);
  });

  it('is moved only by nodes whose clock differs by at most 60 s from the clock of the database', () => {
    const answered = after(NOW, seconds(2));
    expect(clocksDiffer(NOW, before(NOW, seconds(60)), answered)).to.equal(false);
    expect(clocksDiffer(NOW, duration(NOW - 60_001) as never, answered)).to.equal(true);
    expect(clocksDiffer(NOW, after(answered, seconds(60)), answered)).to.equal(false);
    expect(clocksDiffer(NOW, duration(answered + 60_001) as never, answered)).to.equal(true);
  });
});
