import type { BitWriter } from './bit-writer.ts';
import { writeCodeTables } from './code-tables.ts';
import { codeLengths, codesOf } from './huffman.ts';

const MAX_SYMBOLS = 16_384;
/** What may still come, once a block is full. */
const MORE_SYMBOLS = 64;
const MAX_CODE_LENGTH = 15;
const END = 256;
const LENGTHS = 257;
const MIN_LENGTH = 3;
const IS_MATCH = 1 << 24;

/** Extra bits of each symbol for a length or a distance, and the first that it stands for (RFC 1951, section 3.2.5). */
const LENGTH_EXTRA = Uint8Array.from([...extraBits(28, 4), 0]);
const LENGTH_BASE = Uint16Array.from([...bases(LENGTH_EXTRA.subarray(0, 28), 3), 258]);
const LENGTH_SYMBOL = Uint8Array.from({ length: 256 }, (_, at) =>
  LENGTH_BASE.findLastIndex((base) => base <= at + MIN_LENGTH),
);
const DISTANCE_EXTRA = Uint8Array.from(extraBits(30, 2));
const DISTANCE_BASE = Uint16Array.from(bases(DISTANCE_EXTRA, 1));

/** From the second group on, each group of so many symbols has one bit more. */
function extraBits(count: number, group: number): readonly number[] {
  return Array.from({ length: count }, (_, symbol) => Math.max(0, Math.floor(symbol / group) - 1));
}

function bases(extra: Uint8Array, first: number): readonly number[] {
  let base = first;
  return Array.from(extra, (bits) => {
    base += 1 << bits;
    return base - (1 << bits);
  });
}

/** Of the 30 symbols, two begin with each highest bit. */
function distanceSymbol(distance: number): number {
  const before = distance - 1;
  if (before < 2) return before;
  const highest = 31 - Math.clz32(before);
  return 2 * highest + ((before >>> (highest - 1)) & 1);
}

/** Bytes and matches of one block, and how often each symbol is in it. */
export class Block {
  readonly #symbols = new Int32Array(MAX_SYMBOLS + MORE_SYMBOLS);
  readonly #literals = new Int32Array(286);
  readonly #distances = new Int32Array(30);
  #size = 0;

  get isFull(): boolean {
    return this.#size >= MAX_SYMBOLS;
  }

  addByte(byte: number): void {
    this.#symbols[this.#size] = byte;
    this.#size += 1;
    this.#literals[byte] = (this.#literals[byte] as number) + 1;
  }

  addMatch(length: number, distance: number): void {
    this.#symbols[this.#size] = IS_MATCH | ((length - MIN_LENGTH) << 16) | (distance - 1);
    this.#size += 1;
    const symbol = LENGTHS + (LENGTH_SYMBOL[length - MIN_LENGTH] as number);
    this.#literals[symbol] = (this.#literals[symbol] as number) + 1;
    const place = distanceSymbol(distance);
    this.#distances[place] = (this.#distances[place] as number) + 1;
  }

  /** Writes the block, or its bytes as they are where they are fewer, and begins the next one. */
  write(out: BitWriter, bytes: Uint8Array, isLast: boolean): void {
    this.#literals[END] = 1;
    const literals = codeLengths(this.#literals, MAX_CODE_LENGTH);
    const distances = codeLengths(this.#distances, MAX_CODE_LENGTH);
    if (this.#bitsBy(literals, distances) >= bytes.length * 8) out.store(bytes, isLast);
    else {
      out.write(isLast ? 0b101 : 0b100, 3);
      writeCodeTables(out, literals, distances);
      this.#writeSymbols(out, literals, distances);
    }
    this.#literals.fill(0);
    this.#distances.fill(0);
    this.#size = 0;
  }

  /** Without the tables, whose size hardly matters. */
  #bitsBy(literals: Uint8Array, distances: Uint8Array): number {
    let bits = 0;
    for (let symbol = 0; symbol < literals.length; symbol += 1) {
      const extra = symbol < LENGTHS ? 0 : (LENGTH_EXTRA[symbol - LENGTHS] as number);
      bits += (this.#literals[symbol] as number) * ((literals[symbol] as number) + extra);
    }
    for (let symbol = 0; symbol < distances.length; symbol += 1) {
      const extra = DISTANCE_EXTRA[symbol] as number;
      bits += (this.#distances[symbol] as number) * ((distances[symbol] as number) + extra);
    }
    return bits;
  }

  #writeSymbols(out: BitWriter, literals: Uint8Array, distances: Uint8Array): void {
    const literalCodes = codesOf(literals);
    const distanceCodes = codesOf(distances);
    for (let at = 0; at < this.#size; at += 1) {
      const added = this.#symbols[at] as number;
      if (added < IS_MATCH) {
        out.write(literalCodes[added] as number, literals[added] as number);
        continue;
      }
      const length = (added >>> 16) & 0xff;
      const symbol = LENGTH_SYMBOL[length] as number;
      out.write(literalCodes[LENGTHS + symbol] as number, literals[LENGTHS + symbol] as number);
      out.write(length + MIN_LENGTH - (LENGTH_BASE[symbol] as number), LENGTH_EXTRA[symbol] as number);
      const distance = (added & 0xffff) + 1;
      const place = distanceSymbol(distance);
      out.write(distanceCodes[place] as number, distances[place] as number);
      out.write(distance - (DISTANCE_BASE[place] as number), DISTANCE_EXTRA[place] as number);
    }
    out.write(literalCodes[END] as number, literals[END] as number);
  }
}
