import { expect } from 'chai';
import { FIRST_GENERATION } from '../../src/adapter.ts';
import { admits, firstGrant } from '../../src/domain/grant.ts';
import { publicationOf } from '../../src/domain/role.ts';
import {
  defaultLimits,
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

const purposes: readonly GrantPurpose[] = ['cookie', 'path', 'hand_over'];

describe('a viewing grant', () => {
  it('admits for its own purpose only', () => {
    for (const own of purposes) {
      for (const other of purposes) {
        expect(admits(firstGrant(own, shown(role), NOW), other, shown(role), NOW, limits)).to.equal(
          own === other,
        );
      }
    }
  });
  it('is valid for 12 hours, and not a millisecond longer', () => {
    const grant = firstGrant('cookie', shown(role), NOW);
    expect(grantEndsAt(grant, role, limits)).to.equal(NOW + hours(12));
    expect(admits(grant, 'cookie', shown(role), instant(NOW + hours(12) - 1), limits)).to.equal(true);
    expect(admits(grant, 'cookie', shown(role), instant(NOW + hours(12)), limits)).to.equal(false);
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
    expect(admits(handOver, 'hand_over', shown(role), instant(later + minutes(1) - 1), limits)).to.equal(
      true,
    );
    expect(admits(handOver, 'hand_over', shown(role), instant(later + minutes(1)), limits)).to.equal(false);
    const last = withPurpose(
      firstGrant('cookie', shown(role), NOW),
      'hand_over',
      instant(NOW + hours(12) - 1),
    );
    expect(grantEndsAt(last, role, limits)).to.equal(NOW + hours(12));
  });
  it('is valid only by the clock that made it if that is more than an hour ahead', () => {
    for (const purpose of ['cookie', 'hand_over'] as const) {
      const grant = firstGrant(purpose, shown(role), NOW);
      expect(admits(grant, purpose, shown(role), instant(NOW - hours(1)), limits)).to.equal(true);
      expect(admits(grant, purpose, shown(role), instant(NOW - hours(1) - 1), limits)).to.equal(false);
    }
  });
  it('never outlives the expiration', () => {
    const ending = { ...role, expiresAt: instant(NOW + minutes(5)) };
    const grant = firstGrant('cookie', shown(ending), NOW);
    expect(grantEndsAt(grant, ending, limits)).to.equal(NOW + minutes(5));
    expect(admits(grant, 'cookie', shown(ending), instant(NOW + minutes(5)), limits)).to.equal(false);
    expect(grantEndsAt(grant, { expiresAt: null }, limits)).to.equal(NOW + hours(12));
  });
  it('is valid for one generation of its account only', () => {
    const grant = firstGrant('cookie', shown(role), NOW);
    for (const step of [-1, 1]) {
      const accountGeneration = (FIRST_GENERATION + step) as typeof FIRST_GENERATION;
      expect(admits(grant, 'cookie', { ...shown(role), accountGeneration }, NOW, limits)).to.equal(false);
    }
  });
  it('is valid for one role and one generation only', () => {
    const grant = firstGrant('cookie', shown(role), NOW);
    const other = { ...role, id: '1b9cbd2e-7c3a-4f0e-9d8c-5a1f2b3c4d5e' as RoleId };
    expect(admits(grant, 'cookie', shown(other), NOW, limits)).to.equal(false);
    for (const step of [-1, 1]) {
      const next = { ...role, generation: (role.generation + step) as typeof role.generation };
      expect(admits(grant, 'cookie', shown(next), NOW, limits)).to.equal(false);
    }
    expect(admits(grant, 'cookie', shown({ ...role, deletedAt: NOW }), NOW, limits)).to.equal(false);
  });
});
