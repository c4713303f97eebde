import { expect } from 'chai';
import { formatBytes, formatExpiry } from '../../src/command-line/print-list.ts';

describe('text for people', () => {
  it('has sizes in units', () => {
    const sizes = [1, 512, 1_024, 1_009_045, 1_572_864].map(formatBytes);
    expect(sizes).to.deep.equal(['1 byte', '512 bytes', '1 KiB', '985 KiB', '1.5 MiB']);
  });

  it('has expirations in the local time zone, with the remaining time', () => {
    const now = Date.parse('2026-11-22T12:00:00.000Z');
    for (const [expiresAt, remaining] of [
      ['2026-11-29T12:00:00.000Z', 'in 7 days'],
      ['2026-11-23T13:00:00.000Z', 'in 25 hours'],
      ['2026-11-22T13:00:00.000Z', 'in 1 hour'],
      ['2026-11-22T11:00:00.000Z', 'in 0 hours'],
    ] as const) {
      expect(formatExpiry(expiresAt, now))
        .to.match(/^\w{3},? \d{1,2} Nov,? \d\d:\d\d \(/)
        .and.include(`(${remaining})`);
    }
    expect(formatExpiry(null, now)).to.equal('never');
    expect(formatExpiry('soon', now)).to.equal('soon');
  });
});
