import { randomUUID } from 'node:crypto';
import { type PartHead, readPartHead } from './part-head.ts';
import { RequestRefused } from './problem.ts';

/** Judges parts as they arrive, and throws a {@link RequestRefused} to end it. */
export interface PartJudge {
  /** Takes a part's head and gives the head to pass on in its place, with the empty line behind it. */
  admit(head: PartHead): string;
  /** Takes the number of further bytes of that part's content. */
  count(bytes: number): void;
}

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const DASH = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
/** RFC 2046, section 5.1.1. */
const LONGEST_BOUNDARY = 70;
const LONGEST_HEAD = 16_384;
/** White space a delimiter may be followed by, of which nobody sends any. */
const LONGEST_PADDING = 256;
/** Bytes joined at once where two chunks of a body meet: more than a delimiter, so that once is mostly enough. */
const SEAM = 1_024;
/** Bytes before the first part and after the last, which mean nothing. */
const MOST_IGNORED = 65_536;

/**
 * Reads the frames of a multipart body (RFC 2046, section 5.1.1) and writes them anew, piece by piece: each head is
 * replaced, the bodies pass as they are, and the boundary is one that no sender can know.
 *
 * The parser behind it thus meets one form of head only. It would otherwise lose what the contract looks at: whether
 * bytes were UTF-8, which of two file names was meant, and that there was a part at all when its head is odd.
 */
export class FormFrames {
  /** The boundary written: as long as may be, since the parser behind looks at one byte in as many as it has. */
  readonly boundary: string = `${randomUUID()}${randomUUID()}`.slice(0, LONGEST_BOUNDARY);
  readonly #delimiter: Buffer;
  readonly #judge: PartJudge;
  #state: 'ignored' | 'head' | 'body' | 'closed' = 'ignored';
  /** What was read and not yet passed on. The first delimiter needs no line break before it. */
  #rest: Buffer = CRLF;
  #ignored = 0;
  #pieces: Buffer[] = [];

  constructor(boundary: string, judge: PartJudge) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#judge = judge;
  }

  /** Takes bytes and gives what can be passed on. */
  push(bytes: Buffer): readonly Buffer[] {
    const taken = this.#bridge(bytes);
    if (taken < bytes.byteLength) {
      this.#rest = bytes.subarray(taken - this.#rest.byteLength);
      while (this.#advance()) {}
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Takes the end, which must be behind the closing delimiter. */
  end(): void {
    if (this.#state !== 'closed') throw broken('Send the form whole, up to its closing boundary.');
  }

  /**
   * Joins what is left of earlier bytes with the beginning of new ones, until what is left lies in the new ones alone.
   * So an upload is passed on in the memory it came in. Answers how many of the new bytes were taken.
   */
  #bridge(bytes: Buffer): number {
    let taken = 0;
    while (this.#rest.byteLength > taken && taken < bytes.byteLength) {
      const next = bytes.subarray(taken, taken + SEAM);
      this.#rest = Buffer.concat([this.#rest, next]);
      taken += next.byteLength;
      while (this.#advance()) {}
    }
    return taken;
  }

  /** Goes one frame on; false when that needs more bytes. */
  #advance(): boolean {
    switch (this.#state) {
      case 'ignored':
      case 'body':
        return this.#readText();
      case 'head':
        return this.#readHead();
      case 'closed':
        this.#pass(this.#rest.byteLength);
        return false;
      default:
        return this.#state satisfies never;
    }
  }

  #readText(): boolean {
    const at = this.#rest.indexOf(this.#delimiter);
    if (at === -1) {
      this.#pass(this.#rest.byteLength - this.#begunDelimiter());
      return false;
    }
    const after = at + this.#delimiter.byteLength;
    const line = readDelimiterLine(this.#rest, after);
    this.#pass(line.kind === 'none' ? after : at);
    if (line.kind === 'opening' || line.kind === 'closing') {
      this.#rest = this.#rest.subarray(line.end - at);
      this.#write(line.kind === 'closing' ? `\r\n--${this.boundary}--\r\n` : `\r\n--${this.boundary}\r\n`);
      this.#state = line.kind === 'closing' ? 'closed' : 'head';
    }
    return line.kind !== 'more';
  }

  /** How many of the last bytes read may be the beginning of a delimiter. */
  #begunDelimiter(): number {
    const length = this.#rest.byteLength;
    let at = this.#rest.indexOf(CR, Math.max(0, length - this.#delimiter.byteLength + 1));
    while (at !== -1 && this.#rest.compare(this.#delimiter, 0, length - at, at) !== 0) {
      at = this.#rest.indexOf(CR, at + 1);
    }
    return at === -1 ? 0 : length - at;
  }

  #readHead(): boolean {
    // A head may be empty; its end is then the line break alone.
    const empty = this.#rest.subarray(0, 2).equals(CRLF);
    const end = empty ? 0 : this.#rest.indexOf(HEAD_END);
    if (end > LONGEST_HEAD || (end === -1 && this.#rest.byteLength > LONGEST_HEAD)) {
      throw broken('Send parts with shorter heads: 16 KiB are read of each.');
    }
    if (end === -1) return false;
    const head = readPartHead(this.#rest.toString('latin1', 0, end));
    this.#write(this.#judge.admit(head));
    this.#rest = this.#rest.subarray(end + (empty ? 2 : 4));
    this.#state = 'body';
    return true;
  }

  /** Passes on the first bytes of what was read, or ignores them outside of parts. */
  #pass(length: number): void {
    if (length === 0) return;
    if (this.#state === 'body') {
      this.#judge.count(length);
      this.#pieces.push(this.#rest.subarray(0, length));
    } else this.#ignored += length;
    if (this.#ignored > MOST_IGNORED)
      throw broken('Send nothing before the first part of the form and nothing after the last.');
    this.#rest = this.#rest.subarray(length);
  }

  #write(text: string): void {
    this.#pieces.push(Buffer.from(text, 'latin1'));
  }
}

type DelimiterLine =
  | { readonly kind: 'opening'; readonly end: number }
  | { readonly kind: 'closing'; readonly end: number }
  | { readonly kind: 'more' }
  | { readonly kind: 'none' };

/** What follows the boundary decides: two dashes close the form, a line break opens a part, all else is content. */
function readDelimiterLine(bytes: Buffer, from: number): DelimiterLine {
  if (bytes[from] === DASH) {
    if (from + 1 >= bytes.byteLength) return { kind: 'more' };
    return bytes[from + 1] === DASH ? { kind: 'closing', end: from + 2 } : { kind: 'none' };
  }
  let at = from;
  while (at - from <= LONGEST_PADDING && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
  if (at >= bytes.byteLength || (bytes[at] === CR && at + 1 >= bytes.byteLength)) return { kind: 'more' };
  return bytes[at] === CR && bytes[at + 1] === LF ? { kind: 'opening', end: at + 2 } : { kind: 'none' };
}

function broken(detail: string): RequestRefused {
  return new RequestRefused('invalid_request', { detail });
}
