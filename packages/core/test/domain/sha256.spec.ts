import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { sha256Of } from '../../src/domain/sha256.ts';

function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

describe('the SHA-256 of a text', () => {
  it('is that of its bytes in UTF-8, of every length around the ends of blocks', () => {
    for (let length = 0; length < 200; length += 1) {
      for (const letter of ['a', 'ä', '\u0000', '𝒶']) {
        const text = letter.repeat(length);
        expect(sha256Of(text), text).to.equal(digestOf(text));
      }
    }
  });

  it('is that of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        expect(sha256Of(text)).to.equal(digestOf(text));
      }),
    );
  });
});
