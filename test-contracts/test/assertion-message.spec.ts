import { days, duration, after as later, type Title } from '@pinfold/core';
import { expect } from 'chai';
import { inWords } from '../src/assertion-message.ts';
import { anArchiveId, aRole, aRoleId, aSha256, START } from '../src/fixtures/index.ts';
import { anArchiveIdAt } from '../src/fixtures/roles.ts';

/** The message of a failed comparison. */
function messageOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    return (inWords(error) as Error).message;
  }
  throw new Error('the comparison did not fail');
}

describe('A comparison that fails', () => {
  it('reports the first difference of lists, with readable ids', () => {
    const [expected, came] = [[1, 5, 3].map(aRoleId), [1, 3, 5].map(aRoleId)];
    expect(messageOf(() => expect(came, 'the list').to.deep.equal(expected))).to.equal(
      'the list: expected role 5 at [1], but role 3 came',
    );
  });

  it('reports what is missing at the end of a list, and what is superfluous', () => {
    const ids = [1, 2, 3].map(anArchiveId);
    expect(messageOf(() => expect(ids.slice(0, 2), 'a page').to.deep.equal(ids))).to.equal(
      'a page: expected 3 items, but 2 ([2] is archive 3) came',
    );
    expect(messageOf(() => expect(ids).to.deep.equal(ids.slice(0, 2)))).to.equal(
      'expected 2 items, but 3 ([2] is archive 3) came',
    );
  });

  it('distinguishes similar ids, and archives of one number by their instants', () => {
    const near = (id: string) => id.replace('-4000-', '-4001-');
    const one = anArchiveId(1);
    expect(messageOf(() => expect([anArchiveIdAt(5, 1)]).to.deep.equal([near(one)]))).to.equal(
      `expected "${near(one)}" at [0], but archive 1 of 12:00:00.005 came`,
    );
    expect(messageOf(() => expect([near(aRoleId(1))]).to.deep.equal([aRoleId(1)]))).to.equal(
      `expected role 1 at [0], but "${near(aRoleId(1))}" came`,
    );
  });

  it('names the member that differs, and the time of day', () => {
    const renamed = aRole(5, { title: 'b' as Title });
    expect(messageOf(() => expect({ value: renamed }).to.deep.equal({ value: aRole(5) }))).to.equal(
      'expected "Site 5" at value.title, but "b" came',
    );
    const limited = (until: number) => ({ kind: 'limited', until });
    const soon = later(START, duration(2_000));
    expect(messageOf(() => expect(limited(soon)).to.deep.equal(limited(later(START, days(7)))))).to.equal(
      'expected 2026-11-27 12:00:00 at until, but 12:00:02 came',
    );
  });

  it('prints a bigint, which is not the number', () => {
    expect(messageOf(() => expect([12n]).to.deep.equal([12]))).to.equal('expected 12 at [0], but 12n came');
  });

  it('names a missing value undefined, hashes by number, and the members of sets', () => {
    expect(messageOf(() => expect(undefined, 'the newest').to.deep.equal({ hash: aSha256(7) }))).to.equal(
      'the newest: expected {"hash":hash 7}, but undefined came',
    );
    expect(messageOf(() => expect(new Set([aRoleId(1)])).to.deep.equal(new Set([aRoleId(2)])))).to.equal(
      'expected [role 2], but [role 1] came',
    );
  });

  it('has its message in its stack, and prints both values in the same form', () => {
    const check = () => expect([aRoleId(2)], 'it').to.deep.equal([aRoleId(1)]);
    let error: unknown;
    try {
      check();
    } catch (thrown) {
      error = inWords(thrown);
    }
    expect(error).to.have.property('stack').that.includes('it: expected role 1 at [0], but role 2 came');
    expect(error).to.include({ expected: '[\n role 1\n]', actual: '[\n role 2\n]' });
  });

  it('is unchanged if a number or a text was compared, and so is any other error', () => {
    expect(messageOf(() => expect(1, 'how many').to.equal(2))).to.equal('how many: expected 1 to equal 2');
    const error = new Error('broken');
    expect(inWords(error)).to.equal(error);
  });
});
