/**
 * Copies bytes into memory of their own, for what outlives a request: a few bytes out of Node's buffer pool, or of a larger
 * piece, keep all of it in memory.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  own.set(bytes);
  return own;
}

/** Copies ASCII text: a part of a longer text, such as an address of 64 KiB, keeps all of it in memory. */
export function ownText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
