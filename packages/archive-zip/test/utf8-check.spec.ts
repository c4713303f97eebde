import { isUtf8 } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import { isUtf8Text, Utf8Check } from '../src/name-decoding.ts';

function isValid(bytes: Uint8Array, cuts: readonly number[]): boolean {
  const check = new Utf8Check();
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.max(from, cut % (bytes.length + 1));
    check.add(Buffer.from(bytes.subarray(from, to)));
    from = to;
  }
  check.add(Buffer.from(bytes.subarray(from)));
  return check.valid;
}

describe('Utf8Check', () => {
  const text = fc.string({ unit: 'binary' }).map((string) => new TextEncoder().encode(string));
  const broken = fc.tuple(text, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
    if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return bytes;
  });
  const cuts = fc.array(fc.nat(), { maxLength: 6 });

  it('has the same result for pieces as for the whole', () => {
    fc.assert(
      fc.property(fc.oneof(text, broken, fc.uint8Array()), cuts, (bytes, positions) => {
        expect(isValid(bytes, positions)).to.equal(isUtf8Text(Buffer.from(bytes)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('recognizes ISO-2022-JP, which is valid UTF-8, split at any position', () => {
    const bytes = new TextEncoder().encode('<p>\x1b$B4A;z\x1b(B</p>');
    expect(isUtf8(bytes)).to.equal(true);
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(isValid(bytes, [cut])).to.equal(false);
    expect(isValid(new TextEncoder().encode('an escape \x1b[1m and one at the end \x1b'), [11])).to.equal(
      true,
    );
  });

  it('accepts an escape sequence next to characters outside ASCII, which ISO-2022-JP does not have', () => {
    for (const text of ['réglé \x1b(B', '\x1b[1m \x1b$B naïve', '日\x1b$本']) {
      const bytes = new TextEncoder().encode(text);
      for (let cut = 0; cut <= bytes.length; cut += 1) expect(isValid(bytes, [cut]), text).to.equal(true);
    }
  });

  it('accepts every character split at every position', () => {
    const bytes = new TextEncoder().encode('aé日🙂b');
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(isValid(bytes, [cut])).to.equal(true);
    for (let length = 0; length < bytes.length; length += 1) {
      const cutOff = bytes.subarray(0, length);
      expect(isValid(cutOff, []), `${length}`).to.equal(isUtf8(cutOff));
    }
  });
});
