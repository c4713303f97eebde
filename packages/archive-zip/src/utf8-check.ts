import { isUtf8 } from 'node:buffer';

const ESCAPE = 0x1b;
const SHIFTS = [Buffer.from('\x1b$'), Buffer.from('\x1b(')];

/** Whether bytes are UTF-8, and not ISO-2022-JP, which is valid UTF-8 but has shifts: its pages name their encoding. */
export function isUtf8Text(bytes: Buffer): boolean {
  return isUtf8(bytes) && !(bytes.includes(ESCAPE) && SHIFTS.some((shift) => bytes.includes(shift)));
}

export class Utf8Check {
  #valid: boolean = true;
  #begun: Buffer = Buffer.alloc(0);

  add(piece: Buffer): void {
    if (!this.#valid) return;
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece]);
    const whole = bytes.length - begunAtEnd(bytes);
    this.#valid = isUtf8Text(bytes.subarray(0, whole));
    this.#begun = Buffer.from(bytes.subarray(whole));
  }

  /** Whether all that was added is valid, nothing left begun. */
  get valid(): boolean {
    return this.#valid && (this.#begun.length === 0 || this.#begun[0] === ESCAPE);
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
