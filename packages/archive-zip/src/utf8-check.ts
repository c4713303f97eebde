import { isAscii, isUtf8 } from 'node:buffer';

const ESCAPE = 0x1b;
const SHIFTS = [Buffer.from('\x1b$'), Buffer.from('\x1b(')];

/** Whether bytes are UTF-8, and not ISO-2022-JP, which is valid UTF-8 but has shifts: its pages name their encoding. */
export function isUtf8Text(bytes: Buffer): boolean {
  return isUtf8(bytes) && !(hasShift(bytes) && isAscii(bytes));
}

function hasShift(bytes: Buffer): boolean {
  return bytes.includes(ESCAPE) && SHIFTS.some((shift) => bytes.includes(shift));
}

export class Utf8Check {
  #utf8: boolean = true;
  // ISO-2022-JP is ASCII: another character rules it out.
  #ascii: boolean = true;
  #shifts: boolean = false;
  #begun: Buffer = Buffer.alloc(0);

  add(piece: Buffer): void {
    if (!this.#utf8) return;
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece]);
    const end = bytes.length - begunAtEnd(bytes);
    const whole = bytes.subarray(0, end);
    this.#utf8 = isUtf8(whole);
    this.#ascii &&= isAscii(whole);
    this.#shifts ||= this.#ascii && hasShift(whole);
    this.#begun = Buffer.from(bytes.subarray(end));
  }

  /** Whether all that was added is valid, nothing left begun. */
  get valid(): boolean {
    const isWhole = this.#begun.length === 0 || this.#begun[0] === ESCAPE;
    return this.#utf8 && isWhole && !(this.#shifts && this.#ascii);
  }
}

/** How many bytes at the end begin a character, or a shift, whose rest has yet to come. */
function begunAtEnd(bytes: Buffer): number {
  if (bytes.at(-1) === ESCAPE) return 1;
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
