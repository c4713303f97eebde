import type { BitWriter } from './bit-writer.ts';
import { codeLengths, codesOf } from './huffman.ts';

/** The order in which the lengths of the codes for lengths are written. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] as const;
const MAX_LENGTH = 7;
/** Symbols that repeat a length: the one before, or 0; how many bits say how often, and how often at least. */
const REPEAT = { symbol: 16, bits: 2, least: 3, most: 6 };
const FEW_ZEROS = { symbol: 17, bits: 3, least: 3, most: 10 };
const MANY_ZEROS = { symbol: 18, bits: 7, least: 11, most: 138 };

interface Written {
  readonly symbol: number;
  readonly extra: number;
  readonly bits: number;
}

/** Writes the lengths of both codes of a block (RFC 1951, section 3.2.7). */
export function writeCodeTables(out: BitWriter, literals: Uint8Array, distances: Uint8Array): void {
  const literalCount = used(literals, 257);
  const distanceCount = used(distances, 1);
  const written = runs([...literals.subarray(0, literalCount), ...distances.subarray(0, distanceCount)]);
  const counts = new Int32Array(ORDER.length);
  for (const { symbol } of written) counts[symbol] = (counts[symbol] as number) + 1;
  const lengths = codeLengths(counts, MAX_LENGTH);
  const codes = codesOf(lengths);
  const inOrder = Uint8Array.from(ORDER, (symbol) => lengths[symbol] as number);
  const orderCount = used(inOrder, 4);
  out.write(literalCount - 257, 5);
  out.write(distanceCount - 1, 5);
  out.write(orderCount - 4, 4);
  for (const length of inOrder.subarray(0, orderCount)) out.write(length, 3);
  for (const { symbol, extra, bits } of written) {
    out.write(codes[symbol] as number, lengths[symbol] as number);
    out.write(extra, bits);
  }
}

/** How many lengths there are without the zeros at the end. */
function used(lengths: Uint8Array, least: number): number {
  let count = lengths.length;
  while (count > least && lengths[count - 1] === 0) count -= 1;
  return count;
}

function runs(lengths: readonly number[]): readonly Written[] {
  const written: Written[] = [];
  for (let at = 0; at < lengths.length; ) {
    const length = lengths[at] as number;
    let end = at + 1;
    while (lengths[end] === length) end += 1;
    if (length !== 0) {
      written.push({ symbol: length, extra: 0, bits: 0 });
      at += 1;
    }
    while (at < end) {
      const kind = length !== 0 ? REPEAT : end - at < MANY_ZEROS.least ? FEW_ZEROS : MANY_ZEROS;
      const count = Math.min(end - at, kind.most);
      if (count < kind.least) {
        written.push({ symbol: length, extra: 0, bits: 0 });
        at += 1;
      } else {
        written.push({ symbol: kind.symbol, extra: count - kind.least, bits: kind.bits });
        at += count;
      }
    }
  }
  return written;
}
