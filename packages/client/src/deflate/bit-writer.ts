const MAX_STORED = 65_535;

/** Writes the bits of a deflated stream (RFC 1951, section 3.1.1) into a buffer that it uses for every stream. */
export class BitWriter {
  #bytes: Uint8Array = new Uint8Array();
  #size = 0;
  #held = 0;
  #bits = 0;

  /** @param capacity the most bytes that the stream can have. */
  begin(capacity: number): void {
    if (capacity > this.#bytes.length) this.#bytes = new Uint8Array(capacity);
    this.#size = 0;
  }

  /** @param count at most 16. */
  write(value: number, count: number): void {
    this.#held |= value << this.#bits;
    this.#bits += count;
    if (this.#bits < 16) return;
    this.#bytes[this.#size] = this.#held;
    this.#bytes[this.#size + 1] = this.#held >>> 8;
    this.#size += 2;
    this.#held >>>= 16;
    this.#bits -= 16;
  }

  /** Writes bytes as blocks without compression (section 3.2.4). */
  store(bytes: Uint8Array, isLast: boolean): void {
    let from = 0;
    do {
      const part = bytes.subarray(from, from + MAX_STORED);
      from += part.length;
      this.write(isLast && from === bytes.length ? 1 : 0, 3);
      this.#align();
      this.write(part.length, 16);
      this.write(~part.length & 0xffff, 16);
      this.#bytes.set(part, this.#size);
      this.#size += part.length;
    } while (from < bytes.length);
  }

  end(): Uint8Array {
    this.#align();
    return this.#bytes.slice(0, this.#size);
  }

  #align(): void {
    for (; this.#bits > 0; this.#bits -= 8) {
      this.#bytes[this.#size] = this.#held;
      this.#size += 1;
      this.#held >>>= 8;
    }
    this.#bits = 0;
  }
}
