/** Bytes that can be read at any position. */
export interface ByteSource {
  readonly size: number;
  /** The bytes there, fewer where the source ends. They are valid until the next call. */
  at(position: number, length: number): Uint8Array;
}

/** A little-endian number of 16 bits. */
export function uint16(bytes: Uint8Array, at: number): number {
  return viewOf(bytes).getUint16(at, true);
}

/** A little-endian number of 32 bits. */
export function uint32(bytes: Uint8Array, at: number): number {
  return viewOf(bytes).getUint32(at, true);
}

/** A little-endian number of 64 bits. Above 2^53 it is not exact, but then it is larger than any file. */
export function uint64(bytes: Uint8Array, at: number): number {
  return Number(viewOf(bytes).getBigUint64(at, true));
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
