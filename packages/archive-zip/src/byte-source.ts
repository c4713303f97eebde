export interface ByteSource {
  readonly size: number;
  /** The bytes at a position; fewer at the end of the source. They are valid until the next call. */
  at(position: number, length: number): Uint8Array;
}

/** A little-endian number of 16 bits; missing bytes are 0. A DataView for each number would take ten times as long. */
export function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 0x100;
}

/** A little-endian number of 32 bits; missing bytes are 0. */
export function uint32(bytes: Uint8Array, at: number): number {
  return uint16(bytes, at) + uint16(bytes, at + 2) * 0x1_0000;
}

/** A little-endian number of 64 bits. Above 2^53 it is not exact, but then it is larger than any file. */
export function uint64(bytes: Uint8Array, at: number): number {
  return uint32(bytes, at) + uint32(bytes, at + 4) * 0x1_0000_0000;
}
