import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { Deflater } from '../src/deflate/deflater.ts';
import { codeLengths, codesOf } from '../src/deflate/huffman.ts';
import { MatchFinder } from '../src/deflate/match-finder.ts';

/** Marsaglia's xorshift: the same numbers in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function noise(size: number, seed = 1): Uint8Array {
  const next = generator(seed);
  return Uint8Array.from({ length: size }, () => next(256));
}

function expectSame(bytes: Uint8Array, deflater = new Deflater()): void {
  expect(Buffer.compare(inflateRawSync(deflater.deflate(bytes)), bytes)).to.equal(0);
}

describe('Deflater', () => {
  it('gives what inflates to the same bytes, for files of every kind', () => {
    const deflater = new Deflater();
    const next = generator(7);
    for (let file = 0; file < 150; file += 1) {
      const bytes = new Uint8Array(next(file % 10 === 0 ? 200_000 : 3_000));
      const letters = 1 + next(file % 2 === 0 ? 256 : 12);
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = next(letters);
      for (let copies = next(60); copies > 0 && bytes.length > 0; copies -= 1) {
        const from = next(bytes.length);
        bytes.copyWithin(next(bytes.length), from, from + next(2_000));
      }
      expectSame(bytes, deflater);
    }
  });

  it('takes files of no byte, of few and of one repeated', () => {
    for (const size of [0, 1, 2, 3, 4, 5, 257, 258, 259, 262, 65_535, 65_536, 1_000_000]) {
      expectSame(new Uint8Array(size).fill(97));
      expectSame(noise(size));
    }
  });

  it('finds matches less than 32 KiB back, and none from before a file', () => {
    const part = noise(1_000);
    for (const distance of [32_700, 32_767, 32_768, 32_769]) {
      const bytes = new Uint8Array(distance + part.length);
      bytes.set(noise(distance, 2));
      bytes.set(part);
      bytes.set(part, distance);
      expectSame(bytes);
      expect(new Deflater().deflate(bytes).length < bytes.length).to.equal(distance < 32_768);
    }
    const deflater = new Deflater();
    const [first, second] = [deflater.deflate(part), deflater.deflate(part)];
    expect(second).to.deep.equal(first);
    expect(second.length).to.be.greaterThan(part.length);
  });

  it('ends a block at the last byte of a file', () => {
    for (let more = -3; more <= 3; more += 1) {
      expectSame(noise(16_384 + more).map((byte) => byte >>> 1));
      expectSame(noise(2 * 16_384 + more).map((byte) => byte >>> 1));
    }
  });

  it('gives the same bytes everywhere, at most 3 % more than zlib for text, and 5 bytes a block for noise', () => {
    const next = generator(3);
    const words = Array.from({ length: 2_000 }, () =>
      next(2 ** 31)
        .toString(36)
        .slice(0, 2 + next(5)),
    );
    const text = Array.from({ length: 60_000 }, () => words[next(1 + next(words.length))]).join(' ');
    const bytes = new TextEncoder().encode(text);
    const deflated = new Deflater().deflate(bytes);
    expect(deflated.length).to.be.lessThan(deflateRawSync(bytes).length * 1.03);
    // On every runtime and machine.
    expect(createHash('sha256').update(deflated).digest('hex')).to.equal(
      'bb58a58c9372f1ea63a582494cf220e81c4d85687e1783dcfb8da7be98e857fe',
    );
    expect(new Deflater().deflate(noise(65_535)).length).to.be.lessThan(65_535 + 5 * 5);
  });
});

describe('codeLengths', () => {
  it('gives a complete code within its limit, however the symbols are spread', () => {
    // Fibonacci's numbers make the deepest tree.
    const counts = [1, 1];
    while (counts.length < 28) counts.push((counts.at(-1) ?? 0) + (counts.at(-2) ?? 0));
    const even = Array.from({ length: 286 }, () => 1);
    for (const [spread, limit] of [
      [counts, 15],
      [counts.slice(0, 19), 7],
      [[...counts, ...even], 15],
      [even, 15],
      [[0, 3, 0, 4], 7],
    ] as const) {
      const lengths = codeLengths(Int32Array.from(spread), limit);
      expect(Math.max(...lengths)).to.be.at.most(limit);
      expect(lengths.map((length) => Number(length > 0))).to.deep.equal(
        Uint8Array.from(spread, (count) => Number(count > 0)),
      );
      const room = lengths.reduce((sum, length) => sum + (length === 0 ? 0 : 2 ** -length), 0);
      expect(room).to.equal(1);
    }
  });

  it('gives a code of one bit to one symbol, or to the first where none occurs', () => {
    expect([...codeLengths(Int32Array.of(0, 0, 9), 7)]).to.deep.equal([0, 0, 1]);
    expect([...codeLengths(Int32Array.of(0, 0, 0), 7)]).to.deep.equal([1, 0, 0]);
  });
});

describe('codesOf', () => {
  it('gives the codes of the example in RFC 1951, section 3.2.2, from their last bit on', () => {
    const codes = ['010', '011', '100', '101', '110', '00', '1110', '1111'];
    const lengths = Uint8Array.from(codes, ({ length }) => length);
    expect([...codesOf(lengths)]).to.deep.equal(
      codes.map((code) => Number.parseInt([...code].reverse().join(''), 2)),
    );
  });
});

describe('MatchFinder', () => {
  it('finds the same after so many files that it counts its places from the beginning again', () => {
    const finder = new MatchFinder();
    const bytes = Uint8Array.of(...noise(100), ...noise(100));
    for (let file = 0; file < 70_000; file += 1) {
      finder.begin(file % 7_000 === 0 ? bytes : new Uint8Array());
      if (file % 7_000 !== 0) continue;
      finder.addAll(0, 100);
      expect(finder.find(100, 0)).to.equal(true);
      expect([finder.length, finder.distance]).to.deep.equal([100, 100]);
    }
  });
});
