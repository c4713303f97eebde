import { BitWriter } from './bit-writer.ts';
import { Block } from './block.ts';
import { MatchFinder } from './match-finder.ts';

/** A shorter match waits for what begins at the next byte. */
const GOOD_LENGTH = 16;
/** After so many bytes without a match, as in a photo, one byte more is skipped at a time, at most so many. */
const MISSES_PER_SKIP = 64;
const MAX_SKIPPED = 32;

/**
 * Deflates files (RFC 1951): the same bytes on every runtime, which zlib does not promise. Written to be quick from the
 * first file on, when a runtime has not compiled it yet.
 */
export class Deflater {
  readonly #out = new BitWriter();
  readonly #block = new Block();
  readonly #matches = new MatchFinder();

  deflate(bytes: Uint8Array): Uint8Array {
    // A block is never longer than its bytes, stored, with a header for each 64 KiB of them, and its tables.
    this.#out.begin(bytes.length + (bytes.length >>> 5) + 1_024);
    this.#matches.begin(bytes);
    let written = 0;
    let misses = 0;
    for (let at = 0; at < bytes.length; ) {
      if (this.#block.isFull) {
        this.#block.write(this.#out, bytes.subarray(written, at), false);
        written = at;
      }
      if (this.#matches.find(at, 0)) {
        misses = 0;
        at = this.#addMatch(bytes, at);
      } else {
        at = this.#addBytes(bytes, at, 1 + Math.min(Math.floor(misses / MISSES_PER_SKIP), MAX_SKIPPED));
        misses += 1;
      }
    }
    this.#block.write(this.#out, bytes.subarray(written), true);
    return this.#out.end();
  }

  #addBytes(bytes: Uint8Array, from: number, count: number): number {
    const end = Math.min(from + count, bytes.length);
    for (let at = from; at < end; at += 1) this.#block.addByte(bytes[at] as number);
    return end;
  }

  /** Adds the match that was found at a place, or a longer one at the next; where it ends. */
  #addMatch(bytes: Uint8Array, from: number): number {
    let at = from;
    let { length, distance } = this.#matches;
    while (length < GOOD_LENGTH && this.#matches.find(at + 1, length)) {
      this.#block.addByte(bytes[at] as number);
      at += 1;
      ({ length, distance } = this.#matches);
    }
    this.#block.addMatch(length, distance);
    const end = at + length;
    this.#matches.addAll(at + (length < GOOD_LENGTH ? 2 : 1), end);
    return end;
  }
}
