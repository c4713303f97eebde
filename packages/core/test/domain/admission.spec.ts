import { expect } from 'chai';
import { NO_ACCOUNT_LIMITS, type PublicationLimits } from '../../src/domain/account.ts';
import { type AdmissionRequest, accountAfterPublishing, checkAdmission } from '../../src/domain/admission.ts';
import type { Sha256 } from '../../src/domain/identity.ts';
import { after, before, hours, instant, minutes } from '../../src/domain/instant.ts';
import { takenFrom } from '../../src/domain/rate.ts';
import { NOW } from '../values.ts';

const NONE: PublicationLimits = { publications: null, sites: null, bytes: null, names: null };
const ONE_AN_HOUR = { count: 1, window: hours(1) };
/** The usage of the rate after one publication, as an account stores it. */
const MARK = takenFrom(ONE_AN_HOUR, null, NOW);
const NEW = { limits: NO_ACCOUNT_LIMITS, publicationsMark: null, lastPublishedAt: null };

/** The answer to a publication of 100 bytes, and what was looked up for it. */
function admitted(limits: Partial<PublicationLimits>, { isForbidden = false, isNamed = false } = {}) {
  const queries: string[] = [];
  const query = <Found>(what: string, found: Found): Found => {
    queries.push(what);
    return found;
  };
  const common = { now: NOW, archiveBytes: 100, sha256: '' as Sha256, isNamed };
  const request: AdmissionRequest = { ...common, limits: { ...NONE, ...limits } };
  const answer = checkAdmission({ ...NEW, publicationsMark: MARK }, request, {
    isForbidden: () => query('forbidden', isForbidden),
    inService: () => query('in service', { sites: 4, bytes: 900 }),
    names: () => query('names', { count: 2, shown: undefined }),
  });
  return { answer, queries };
}

describe('the admission of a publication', () => {
  it('applies each limit inclusively, and looks up only facts that the limits need', () => {
    const quota = { kind: 'refused', code: 'quota_exceeded' };
    const all = ['forbidden', 'in service'];
    for (const [limits, refusal, queries] of [
      [{}, undefined, ['forbidden']],
      [{ sites: 5 }, undefined, all],
      [{ sites: 4 }, { ...quota, rule: 'sites', limit: 4, actual: 5 }, all],
      [{ bytes: 1_000 }, undefined, all],
      [{ bytes: 999 }, { ...quota, rule: 'bytes', limit: 999, actual: 1_000 }, all],
      [{ publications: { count: 2, window: hours(2) } }, undefined, ['forbidden']],
      [
        { publications: ONE_AN_HOUR, sites: 0 },
        { kind: 'refused', code: 'rate_limited', retryAt: after(NOW, hours(1)) },
        ['forbidden'],
      ],
      [{ names: 0 }, undefined, ['forbidden']],
    ] as const) {
      expect(admitted(limits), JSON.stringify(limits)).to.deep.equal({ answer: refusal, queries });
    }
  });

  it('looks for a takedown before all else, and counts names last, only for a publication with a name', () => {
    const taken = admitted({ publications: ONE_AN_HOUR, sites: 0 }, { isForbidden: true });
    const answer = { kind: 'refused', code: 'invalid_archive', problems: [{ rule: 'forbidden_content' }] };
    expect(taken).to.deep.equal({ answer, queries: ['forbidden'] });
    const full = { kind: 'refused', code: 'quota_exceeded', rule: 'names', limit: 2, actual: 3 };
    expect(admitted({ names: 2 }, { isNamed: true }).answer).to.deep.equal(full);
    expect(admitted({ names: 3 }, { isNamed: true }).answer).to.equal(undefined);
    expect(admitted({ names: 2, sites: 0 }, { isNamed: true }).answer).to.include({ rule: 'sites' });
  });

  it('takes from the rate, and never moves the time of the last publication back', () => {
    const limits = { ...NONE, publications: ONE_AN_HOUR };
    const first = { publicationsMark: MARK, lastPublishedAt: NOW };
    expect(accountAfterPublishing(NEW, { now: NOW, limits })).to.deep.equal(first);
    for (const last of [before(NOW, minutes(1)), after(NOW, minutes(1))]) {
      const account = { ...NEW, publicationsMark: MARK, lastPublishedAt: last };
      const expected = { ...first, lastPublishedAt: Math.max(last, NOW) };
      expect(accountAfterPublishing(account, { now: NOW, limits: NONE }), 'without a rate').to.deep.equal(
        expected,
      );
    }
  });

  it('leaves a mark of the rate that a database can store as an integer, in every year', () => {
    const limits = { ...NONE, publications: ONE_AN_HOUR };
    for (const now of [NOW, instant(Date.UTC(2255, 11, 31)), instant(Date.UTC(9999, 11, 31))]) {
      expect(accountAfterPublishing(NEW, { now, limits }).publicationsMark).to.satisfy(Number.isSafeInteger);
    }
  });
});
