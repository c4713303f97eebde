import { CommandFailure, explainSystemErrors, UsageError } from './failures.ts';
import { readFileOrPipe } from './read-file-or-pipe.ts';
import type { Terminal } from './terminal.ts';

/** Detects UTF-16 by its byte order mark, which files of Windows have; otherwise UTF-8. */
export function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Decodes a text and drops the byte order mark; `undefined` if the encoding is wrong. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes);
    // UTF-16 without the mark decodes as UTF-8 with a NUL beside each letter.
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Reads the lines of a file or a pipe, or of standard input for `-`. Throws for a wrong encoding: replaced bytes could
 * name something else.
 */
export async function readLines(path: string, { input }: Terminal): Promise<readonly string[]> {
  if (path === '-' && input === undefined) throw new UsageError('there is no standard input');
  const read = path === '-' && input !== undefined ? input : () => readFileOrPipe(path);
  const text = decodeText(await explainSystemErrors(read));
  if (text !== undefined) return text.split('\n');
  throw new CommandFailure(
    `${path === '-' ? 'standard input' : path} is not UTF-8: write it in UTF-8, or as UTF-16 with a byte order mark`,
    'unreadable',
  );
}
