import { after, before, days, hours, type Instant, instant, minutes, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { Messages } from '../src/i18n.ts';

const NOW = instant(Date.UTC(2026, 10, 20, 12));
const CATALOGUE = {
  plain: 'Hello {name}, {name}',
  counted: { one: '{count} file', other: '{count} files' },
};

describe('Messages', () => {
  const en = new Messages('en', 'UTC', CATALOGUE);
  const ja = new Messages('ja', 'Asia/Tokyo', CATALOGUE);

  it('fill in values, and choose the plural', () => {
    expect(en.text('plain', { name: '{count}' })).to.equal('Hello {count}, {count}');
    expect(en.text('counted', { count: 1 })).to.equal('1 file');
    expect(en.text('counted', { count: 1_234 })).to.equal('1,234 files');
    expect(ja.text('counted', { count: 1 })).to.equal('1 files');
  });

  it('write bytes in the units of the limits', () => {
    expect([0, 1, 1_023, 1_024, 1_536, 102_400, 10 * 1_048_576].map((bytes) => en.size(bytes))).to.deep.equal(
      ['0 bytes', '1 byte', '1,023 bytes', '1 KiB', '1.5 KiB', '100 KiB', '10 MiB'],
    );
  });

  it('write exact times in a zone, and name the zone only if it is UTC', () => {
    expect(en.moment(NOW)).to.equal('20 November 2026 at 12:00 UTC');
    expect(ja.moment(NOW)).to.equal('2026年11月20日 21:00');
  });

  it('write distances in one unit', () => {
    const distance = (at: Instant) => en.distance(at, NOW);
    expect(distance(NOW)).to.equal('now');
    expect(distance(after(NOW, seconds(20)))).to.equal('now');
    expect(distance(after(NOW, minutes(1)))).to.equal('in 1 minute');
    expect(distance(before(NOW, minutes(59)))).to.equal('59 minutes ago');
    expect(distance(after(NOW, hours(23)))).to.equal('in 23 hours');
    expect(distance(after(NOW, days(1)))).to.equal('in 1 day');
    expect(distance(after(NOW, days(6.9)))).to.equal('in 7 days');
    expect(distance(before(NOW, days(3)))).to.equal('3 days ago');
    expect(ja.distance(after(NOW, days(3)), NOW)).to.equal('3 日後');
  });

  it('write durations in days if possible', () => {
    expect(
      [days(7), days(1), hours(12), hours(36), days(2.5)].map((length) => en.span(length)),
    ).to.deep.equal(['7 days', '1 day', '12 hours', '36 hours', '2.5 days']);
  });
});
