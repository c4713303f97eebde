import { expect } from 'chai';
import { judgeHolder, type KeyRow } from '../../src/adapter.ts';
import { type Fingerprint, isFault, type RoleId, type Token } from '../../src/index.ts';
import { NOW } from '../values.ts';

describe('who holds an Idempotency-Key', () => {
  it('is a fault where the warnings cannot be read', () => {
    const fingerprint = 'same' as Fingerprint;
    const complete = { fingerprint, token: 'mine' as Token, heldUntil: NOW, role: 'a role' as RoleId };
    for (const warnings of [null, '{', '{}']) {
      const row: KeyRow = { ...complete, warnings };
      expect(() => judgeHolder(row, { fingerprint, now: NOW }))
        .to.throw()
        .that.satisfies(isFault);
    }
  });
});
