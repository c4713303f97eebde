import { expect } from 'chai';
import { judgeCommit, judgeHolder, type KeyRow } from '../../src/adapter.ts';
import { after, type Fingerprint, isFault, type RoleId, seconds, type Token } from '../../src/index.ts';
import { NOW } from '../values.ts';

const ROLE = 'a role' as RoleId;
const LEASE = { token: 'mine' as Token };
const RESERVED: KeyRow = {
  fingerprint: 'same',
  token: LEASE.token,
  heldUntil: after(NOW, seconds(1)),
  role: null,
  warnings: null,
};
const COMPLETE: KeyRow = { ...RESERVED, heldUntil: NOW, role: ROLE, warnings: '[]' };

const held = (row: KeyRow | undefined, fingerprint: string = 'same') =>
  judgeHolder(row, { fingerprint: fingerprint as Fingerprint, now: NOW })?.kind;

describe('who holds an Idempotency-Key', () => {
  it('is nobody without a row, or with a reservation that has ended', () => {
    expect(held(undefined)).to.equal(undefined);
    expect(held({ ...RESERVED, heldUntil: NOW }), 'whatever it was for').to.equal(undefined);
    expect(held({ ...RESERVED, heldUntil: NOW }, 'other')).to.equal(undefined);
  });

  it('is a reservation until it ends, and what it published for good', () => {
    expect(held(RESERVED)).to.equal('in_progress');
    expect(held(COMPLETE)).to.equal('complete');
  });

  it('is told to the same request only', () => {
    expect(held(RESERVED, 'other')).to.equal('mismatch');
    expect(held(COMPLETE, 'other')).to.equal('mismatch');
  });

  it('is a fault where the warnings cannot be read', () => {
    for (const warnings of [null, '{', '{}']) {
      expect(() => held({ ...COMPLETE, warnings }))
        .to.throw()
        .that.satisfies(isFault);
    }
  });
});

describe('a commit', () => {
  it('holds by its token alone, whatever the time', () => {
    expect(judgeCommit(RESERVED, LEASE, ROLE)).to.equal('held');
    expect(judgeCommit({ ...RESERVED, token: 'new' as Token }, LEASE, ROLE)).to.equal('lease_lost');
    expect(judgeCommit(undefined, LEASE, ROLE)).to.equal('lease_lost');
  });

  it('may be repeated for the same role', () => {
    expect(judgeCommit(COMPLETE, LEASE, ROLE)).to.equal('committed');
    expect(judgeCommit(COMPLETE, LEASE, 'another' as RoleId)).to.equal('lease_lost');
  });
});
