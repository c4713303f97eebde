import { UsageError } from './failures.ts';

const MAX_BYTES = 65_536;

/**
 * Reads the first line of a pipe or a file, as UTF-8, or as UTF-16 where it begins with the byte order mark of UTF-16, as
 * files of Windows do. The mark and the line end are no part of it.
 *
 * @throws UsageError for other encodings: a password that is decoded with losses opens nothing.
 */
export async function readFirstLine(from: AsyncIterable<Uint8Array | string>): Promise<string> {
  let bytes = new Uint8Array();
  for await (const piece of from) {
    bytes = Buffer.concat([bytes, typeof piece === 'string' ? Buffer.from(piece) : piece]);
    const end = endOfLine(bytes);
    if (end !== -1) return decoded(bytes.subarray(0, end));
    if (bytes.length > MAX_BYTES)
      throw new UsageError('the first line on standard input has more than 64 KiB');
  }
  if (bytes.length === 0) throw new UsageError('a line is needed on standard input');
  return decoded(bytes);
}

/** Where the line feed of the first line begins; -1 if there is none yet. */
function endOfLine(bytes: Uint8Array): number {
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8') return bytes.indexOf(0x0a);
  const low = encoding === 'utf-16le' ? 0 : 1;
  for (let at = 2; at + 1 < bytes.length; at += 2)
    if (bytes[at + low] === 0x0a && bytes[at + 1 - low] === 0) return at;
  return -1;
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function decoded(bytes: Uint8Array): string {
  const text = textOf(bytes);
  // UTF-16 without its mark is read as UTF-8 with a NUL beside each letter.
  if (text === undefined || text.includes('\0'))
    throw new UsageError(
      'standard input is not UTF-8: write it in UTF-8, or as UTF-16 with a byte order mark',
    );
  return text.split('\r', 1)[0] ?? '';
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
