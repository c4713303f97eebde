import { expect } from 'chai';
import type { RoleId, Sha256 } from '../../src/domain/identity.ts';
import { parseSha256, takedownCursors } from '../../src/domain/takedown.ts';
import { NOW } from '../values.ts';

const HASH = 'ab'.repeat(32) as Sha256;

describe('the archive of a takedown', () => {
  it('is named by a SHA-256 in digits of any case', () => {
    expect(parseSha256(HASH.toUpperCase())).to.equal(HASH);
    for (const text of ['', HASH.slice(1), `${HASH}0`, ` ${HASH}`, 'g'.repeat(64)]) {
      expect(parseSha256(text), text).to.equal(undefined);
    }
  });

  it('is a part of a cursor', () => {
    const place = { at: NOW, id: '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20' as RoleId };
    const right = { ...place, sha256: HASH };
    expect(takedownCursors.decode(takedownCursors.encode(right))).to.deep.equal(right);
    const wrong = takedownCursors.encode({ ...place, sha256: 'x' as Sha256 });
    expect(takedownCursors.decode(wrong)).to.include({ code: 'invalid_cursor' });
  });
});
