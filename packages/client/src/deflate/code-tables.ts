import type { BitWriter } from './bit-writer.ts';
import { codeLengths, codesOf } from './huffman.ts';

/** The order in which the lengths of the codes for lengths are written. */
const ORDER = Uint8Array.of(16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15);
const MAX_LENGTH = 7;
/** Symbols for a run of the length before, and of zeros: how many bits say how long it is, how long at least and most. */
const REPEAT = { symbol: 16, bits: 2, least: 3, most: 6 };
const FEW_ZEROS = { symbol: 17, bits: 3, least: 3, most: 10 };
const MANY_ZEROS = { symbol: 18, bits: 7, least: 11, most: 138 };
const EXTRA_BITS = new Uint8Array(ORDER.length);
for (const { symbol, bits } of [REPEAT, FEW_ZEROS, MANY_ZEROS]) EXTRA_BITS[symbol] = bits;
/** In a number, the symbol is below what its extra bits say. */
const SYMBOLS = 32;

/** Writes the lengths of both codes of a block (RFC 1951, section 3.2.7). */
export function writeCodeTables(out: BitWriter, literals: Uint8Array, distances: Uint8Array): void {
  const literalCount = used(literals, 257);
  const distanceCount = used(distances, 1);
  const all = new Uint8Array(literalCount + distanceCount);
  all.set(literals.subarray(0, literalCount));
  all.set(distances.subarray(0, distanceCount), literalCount);
  const written = runs(all);
  const counts = new Int32Array(ORDER.length);
  for (const run of written) counts[run % SYMBOLS] = (counts[run % SYMBOLS] as number) + 1;
  const lengths = codeLengths(counts, MAX_LENGTH);
  const codes = codesOf(lengths);
  const inOrder = ORDER.map((symbol) => lengths[symbol] as number);
  const orderCount = used(inOrder, 4);
  out.write(literalCount - 257, 5);
  out.write(distanceCount - 1, 5);
  out.write(orderCount - 4, 4);
  for (let at = 0; at < orderCount; at += 1) out.write(inOrder[at] as number, 3);
  for (const run of written) {
    const symbol = run % SYMBOLS;
    out.write(codes[symbol] as number, lengths[symbol] as number);
    out.write(Math.floor(run / SYMBOLS), EXTRA_BITS[symbol] as number);
  }
}

/** How many lengths there are without the zeros at the end. */
function used(lengths: Uint8Array, least: number): number {
  let count = lengths.length;
  while (count > least && lengths[count - 1] === 0) count -= 1;
  return count;
}

function runs(lengths: Uint8Array): readonly number[] {
  const written: number[] = [];
  for (let at = 0; at < lengths.length; ) {
    const length = lengths[at] as number;
    let end = at + 1;
    while (lengths[end] === length) end += 1;
    if (length !== 0) {
      written.push(length);
      at += 1;
    }
    while (at < end) {
      const kind = length !== 0 ? REPEAT : end - at < MANY_ZEROS.least ? FEW_ZEROS : MANY_ZEROS;
      const count = Math.min(end - at, kind.most);
      const isRun = count >= kind.least;
      written.push(isRun ? kind.symbol + SYMBOLS * (count - kind.least) : length);
      at += isRun ? count : 1;
    }
  }
  return written;
}
