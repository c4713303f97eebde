import { expect } from 'chai';
import { archiveCreatedAt, archiveIdOf, parseArchiveId } from '../../src/domain/identity.ts';
import { accountId, days, duration, hours, instant, parseRoleId, seconds } from '../../src/index.ts';
import { toRfc3339 } from '../../src/internal.ts';
import { NOW, UUID } from '../values.ts';

describe('the id of a role', () => {
  it('is read in any letter case and becomes lower case', () => {
    expect(parseRoleId(UUID.toUpperCase())).to.equal(UUID);
  });
  it('is exactly one UUID', () => {
    for (const text of [
      '',
      'abc',
      `${UUID}x`,
      `x${UUID}`,
      UUID.replaceAll('-', ''),
      `{${UUID}}`,
      `${UUID}\n`,
    ]) {
      expect(parseRoleId(text)).to.equal(undefined);
    }
  });
  it('is a text, whatever a caller without types passes', () => {
    for (const value of [undefined, null, 5, [UUID], {}, { toString: UUID }, Object.create(null), Symbol()]) {
      expect(parseRoleId(value as string)).to.equal(undefined);
    }
  });
});

describe('the id of an archive', () => {
  it('holds its creation instant', () => {
    const id = archiveIdOf(NOW, UUID);
    expect(id).to.equal(`${NOW}-${UUID}`);
    expect(archiveCreatedAt(id)).to.equal(NOW);
  });
  it('sorts by time, however early', () => {
    expect(archiveIdOf(instant(5), UUID)).to.equal(`0000000000005-${UUID}`);
    expect(archiveIdOf(instant(5), UUID) < archiveIdOf(NOW, UUID)).to.equal(true);
  });
  it('is read only in its own format', () => {
    expect(parseArchiveId(`${NOW}-${UUID}`)).to.equal(`${NOW}-${UUID}`);
    for (const text of [UUID, `${NOW}-${UUID}.zip`, `1${NOW}-${UUID}`, `../${NOW}-${UUID}`, '']) {
      expect(parseArchiveId(text)).to.equal(undefined);
    }
  });
  it('is made only of a UUID in lower case', () => {
    expect(() => archiveIdOf(NOW, UUID.toUpperCase())).to.throw(TypeError);
    expect(() => archiveIdOf(instant(1e14), UUID)).to.throw(TypeError);
  });
});

describe('an account', () => {
  it('is 1 to 255 printable characters', () => {
    expect(accountId('Team 春')).to.equal('Team 春');
    expect(accountId('𠮷'.repeat(255))).to.be.a('string');
    for (const name of ['', 'a\nb', 'a\0', 'a'.repeat(256), '\ud800', 'a\u2028b']) {
      expect(() => accountId(name)).to.throw(TypeError);
    }
  });
});

describe('time', () => {
  it('is integer milliseconds', () => {
    expect(() => instant(1.5)).to.throw(TypeError);
    expect(() => instant(Number.NaN)).to.throw(TypeError);
    expect(() => duration(-1)).to.throw(TypeError);
    expect(() => duration(0.1)).to.throw(TypeError);
    expect(duration(0)).to.equal(0);
  });
  it('has days of 24 hours, and fractions rounded to the millisecond', () => {
    expect(days(7)).to.equal(604_800_000);
    expect(days(1)).to.equal(hours(24));
    expect(seconds(0.0004)).to.equal(0);
    expect(days(0.5)).to.equal(hours(12));
  });
  it('is written as RFC 3339 in UTC with milliseconds, even beyond 2038', () => {
    expect(toRfc3339(NOW)).to.equal('2026-11-20T12:00:00.000Z');
    expect(toRfc3339(instant(2 ** 31 * 1_000 + 1))).to.equal('2038-01-19T03:14:08.001Z');
  });
});
