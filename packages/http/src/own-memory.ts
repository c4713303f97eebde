/**
 * Copies bytes that outlive a request: a few bytes of Node's buffer pool, or of a larger piece, would hold all of it in
 * memory.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  own.set(bytes);
  return own;
}

/** Copies ASCII text: a part of a longer text, such as an address of 64 KiB, would hold all of it in memory. */
export function ownText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
