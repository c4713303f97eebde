import { readFile } from 'node:fs/promises';
import { CommandFailure, reportingSystemErrors } from './failures.ts';

/** UTF-16 where a byte order mark says so, as in files of Windows; else UTF-8. */
export function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Decodes a text without its byte order mark; `undefined` in another encoding. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
    // UTF-16 without its mark is read as UTF-8 with a NUL beside each letter.
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Reads the lines of a file or a pipe. What is decoded with losses would name something else. */
export async function readLines(from: string | (() => Promise<Uint8Array>)): Promise<readonly string[]> {
  const read = typeof from === 'string' ? () => readFile(from) : from;
  const text = decodeText(await reportingSystemErrors(read));
  if (text !== undefined) return text.split('\n');
  const name = typeof from === 'string' ? from : 'standard input';
  throw new CommandFailure(
    `${name} is not UTF-8: write it in UTF-8, or as UTF-16 with a byte order mark`,
    'unreadable',
  );
}
