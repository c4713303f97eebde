const MAX_BYTES = 16_384;

/** Reads the beginning of an answer as UTF-8, at least 16 KiB, since an unknown server may send any amount. */
export async function readBeginning({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > MAX_BYTES) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}
