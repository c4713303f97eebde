import { expect } from 'chai';
import { FIRST_GENERATION } from '../../src/adapter.ts';
import { admits, firstGrant } from '../../src/domain/grant.ts';
import { publicationOf } from '../../src/domain/role.ts';
import {
  defaultLimits,
  type Grant,
  type GrantPurpose,
  hours,
  instant,
  minutes,
  type Role,
  type RoleId,
  type VisibleRole,
} from '../../src/index.ts';
import { grantEndsAt, withPurpose } from '../../src/internal.ts';
import { aRole, HASH, NOW } from '../values.ts';

const limits = defaultLimits;
const role = aRole({ passwordHash: HASH, expiresAt: instant(NOW + hours(100)) });
/** The site of a role whose account has its initial generation. */
function shown(role: Role): VisibleRole {
  const publication = publicationOf(role, NOW, 'https://pages.example');
  return { publication, accountGeneration: FIRST_GENERATION };
}

/** Whether a grant admits to the site, for its own purpose unless another is given. */
function isAdmitted(grant: Grant, now = NOW, site = shown(role), purpose = grant.purpose): boolean {
  return admits(grant, purpose, site, now, limits);
}

const purposes: readonly GrantPurpose[] = ['cookie', 'path', 'hand_over'];

describe('a viewing grant', () => {
  it('admits for its own purpose only', () => {
    for (const own of purposes) {
      for (const other of purposes) {
        const grant = firstGrant(own, shown(role), NOW);
        expect(isAdmitted(grant, NOW, shown(role), other)).to.equal(own === other);
      }
    }
  });
  it('is valid for 12 hours, and not a millisecond longer', () => {
    const grant = firstGrant('cookie', shown(role), NOW);
    expect(grantEndsAt(grant, role, limits)).to.equal(NOW + hours(12));
    expect(isAdmitted(grant, instant(NOW + hours(12) - 1))).to.equal(true);
    expect(isAdmitted(grant, instant(NOW + hours(12)))).to.equal(false);
  });
  it('has the same issue time for another purpose', () => {
    const later = instant(NOW + hours(11));
    const passed = withPurpose(firstGrant('cookie', shown(role), NOW), 'path', later);
    expect(passed.issuedAt).to.equal(NOW);
    expect(grantEndsAt(passed, role, limits)).to.equal(NOW + hours(12));
  });
  it('for a hand-over is valid for one minute after it was made', () => {
    const later = instant(NOW + hours(3));
    const handOver = withPurpose(firstGrant('cookie', shown(role), NOW), 'hand_over', later);
    expect(isAdmitted(handOver, instant(later + minutes(1) - 1))).to.equal(true);
    expect(isAdmitted(handOver, instant(later + minutes(1)))).to.equal(false);
    const end = instant(NOW + hours(12) - 1);
    const last = withPurpose(firstGrant('cookie', shown(role), NOW), 'hand_over', end);
    expect(grantEndsAt(last, role, limits)).to.equal(NOW + hours(12));
  });
  it('is valid only by the clock that made it if that is more than an hour ahead', () => {
    for (const purpose of ['cookie', 'hand_over'] as const) {
      const grant = firstGrant(purpose, shown(role), NOW);
      expect(isAdmitted(grant, instant(NOW - hours(1)))).to.equal(true);
      expect(isAdmitted(grant, instant(NOW - hours(1) - 1))).to.equal(false);
    }
  });
  it('never outlives the expiration', () => {
    const ending = { ...role, expiresAt: instant(NOW + minutes(5)) };
    const grant = firstGrant('cookie', shown(ending), NOW);
    expect(grantEndsAt(grant, ending, limits)).to.equal(NOW + minutes(5));
    expect(isAdmitted(grant, instant(NOW + minutes(5)), shown(ending))).to.equal(false);
    expect(grantEndsAt(grant, { expiresAt: null }, limits)).to.equal(NOW + hours(12));
  });
  it('is valid for one generation of its account only', () => {
    const grant = firstGrant('cookie', shown(role), NOW);
    for (const step of [-1, 1]) {
      const accountGeneration = (FIRST_GENERATION + step) as typeof FIRST_GENERATION;
      expect(isAdmitted(grant, NOW, { ...shown(role), accountGeneration })).to.equal(false);
    }
  });
  it('is valid for one role and one generation only', () => {
    const grant = firstGrant('cookie', shown(role), NOW);
    const other = { ...role, id: '1b9cbd2e-7c3a-4f0e-9d8c-5a1f2b3c4d5e' as RoleId };
    expect(isAdmitted(grant, NOW, shown(other))).to.equal(false);
    for (const step of [-1, 1]) {
      const next = { ...role, generation: (role.generation + step) as typeof role.generation };
      expect(isAdmitted(grant, NOW, shown(next))).to.equal(false);
    }
    expect(isAdmitted(grant, NOW, shown({ ...role, deletedAt: NOW }))).to.equal(false);
  });
});
