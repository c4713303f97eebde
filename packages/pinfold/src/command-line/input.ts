import { constants, openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CommandFailure, explainSystemErrors, UsageError } from './failures.ts';
import type { Terminal } from './terminal.ts';

/** Detects UTF-16 by its byte order mark, which files of Windows have; otherwise UTF-8. */
function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Decodes a text and drops the byte order mark; `undefined` if the encoding is wrong. */
function decodeText(bytes: Uint8Array): string | undefined {
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

/**
 * Reads a file, or a named pipe until its writers close it. It opens a pipe without waiting for a writer: a thread that
 * waits would keep the process from ending at a signal.
 */
export async function readFileOrPipe(path: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!(await stat(path)).isFIFO()) return new Uint8Array(await readFile(path));
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Uint8Array(await buffer(new Socket({ fd, readable: true, writable: false })));
}

/** Asks a question until it is answered with yes or no, or a word that begins so. The end of the input is a no. */
export async function confirm(
  question: string,
  from: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const lines = createInterface({ input: from, output });
  try {
    for (;;) {
      const answer = (await ask(lines, `${question} [y/n] `)) ?? 'no';
      if (/^\s*[yn]/i.test(answer)) return /^\s*y/i.test(answer);
    }
  } finally {
    lines.close();
  }
}

/** Reads a line without showing it: twice from a person, or the first line of a pipe or a file. */
export async function readSecret(
  question: string,
  from: NodeJS.ReadStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  if (!from.isTTY) return readFirstLine(from);
  const muted = new Writable({ write: (_echo, _encoding, done) => done() });
  const lines = createInterface({ input: from, output: muted, terminal: true });
  const askHidden = async (text: string): Promise<string> => {
    output.write(text);
    const answer = await ask(lines, '');
    output.write('\n');
    if (answer === undefined) throw new CommandFailure('nothing was entered', 'usage');
    return answer;
  };
  try {
    const first = await askHidden(question);
    if ((await askHidden('Again: ')) === first) return first;
    throw new CommandFailure('the two passwords differ', 'usage');
  } finally {
    lines.close();
  }
}

async function ask(lines: Interface, question: string): Promise<string | undefined> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  lines.once('close', end);
  try {
    return await lines.question(question, { signal: ended.signal });
  } catch (error) {
    // ERR_USE_AFTER_CLOSE: the input ended with the answer to an earlier question.
    const hasEnded = ended.signal.aborted || (error as NodeJS.ErrnoException).code === 'ERR_USE_AFTER_CLOSE';
    if (!hasEnded) throw error;
    return undefined;
  } finally {
    lines.off('close', end);
  }
}

const MAX_LINE_BYTES = 65_536;

/**
 * Reads the first line of a pipe or a file: as UTF-16 if it begins with a byte order mark of UTF-16, as files of Windows
 * do, else as UTF-8. The result has neither the mark nor the line end.
 *
 * @throws UsageError for other encodings: a password that is decoded with losses opens nothing.
 */
export async function readFirstLine(from: AsyncIterable<Uint8Array | string>): Promise<string> {
  let bytes = new Uint8Array();
  for await (const piece of from) {
    bytes = Buffer.concat([bytes, typeof piece === 'string' ? Buffer.from(piece) : piece]);
    const end = findLineEnd(bytes);
    if (end !== -1) return decodeLine(bytes.subarray(0, end));
    if (bytes.length > MAX_LINE_BYTES)
      throw new UsageError('the first line on standard input has more than 64 KiB');
  }
  if (bytes.length === 0) throw new UsageError('standard input has no line');
  return decodeLine(bytes);
}

/** The index of the first line feed; -1 if there is none. */
function findLineEnd(bytes: Uint8Array): number {
  const encoding = detectEncoding(bytes);
  if (encoding === 'utf-8') return bytes.indexOf(0x0a);
  const low = encoding === 'utf-16le' ? 0 : 1;
  for (let at = 2; at + 1 < bytes.length; at += 2)
    if (bytes[at + low] === 0x0a && bytes[at + 1 - low] === 0) return at;
  return -1;
}

function decodeLine(bytes: Uint8Array): string {
  const text = decodeText(bytes);
  if (text === undefined)
    throw new UsageError(
      'standard input is not UTF-8: write it in UTF-8, or as UTF-16 with a byte order mark',
    );
  return text.split('\r', 1)[0] ?? '';
}
