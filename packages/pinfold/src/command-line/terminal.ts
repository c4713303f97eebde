import { createInterface, type Interface } from 'node:readline/promises';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Environment } from '../settings/settings.ts';
import { decodeText, detectEncoding } from './decode-text.ts';
import { CommandFailure, UsageError } from './failures.ts';

export interface Terminal {
  readonly env: Environment;
  /** Prints a line of the result on standard output. */
  out(line: string): void;
  /** Writes a part of a long result and waits until it is taken. Rejects with EPIPE if the reader has gone. */
  write(text: string): Promise<void>;
  /** Prints a message on standard error. */
  err(line: string): void;
  /** From now on, a signal that ends the command prints how to continue with this Idempotency-Key. */
  reportKeyOnSignal?(idempotencyKey: string): void;
  /** Replaces the progress line; absent without a terminal. */
  progress?(activity: string): void;
  /** Reads all of standard input; absent without one. */
  input?(): Promise<Uint8Array<ArrayBuffer>>;
  /** Asks a question to answer with yes or no; absent without a terminal. */
  confirm?(question: string): Promise<boolean>;
  /** Streams standard input; absent without one. */
  stream?(): ReadableStream<Uint8Array>;
  /** Streams bytes to standard output, with backpressure; absent if that is a terminal. */
  pipe?(bytes: ReadableStream<Uint8Array>): Promise<void>;
  /** Asks for a line, such as a password, without showing it; absent if nothing can be read. */
  secret?(question: string): Promise<string>;
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

/** Moves to the first column and clears the line. */
const CLEAR_LINE = '\r\u{1B}[K';

export type Streams = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;

export function createProcessTerminal({ env, stdin, stdout, stderr }: Streams): Terminal {
  let showsProgress = false;
  const clear = (): void => {
    if (showsProgress) stderr.write(CLEAR_LINE);
    showsProgress = false;
  };
  const isInteractive = stderr.isTTY && env.TERM !== 'dumb';
  return {
    env,
    out: (line) => {
      clear();
      stdout.write(`${line}\n`);
    },
    write: async (text) => {
      clear();
      await new Promise<void>((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(toWriteError(error)) : resolve()));
      });
    },
    err: (line) => {
      clear();
      stderr.write(`${line}\n`);
    },
    input: async () => new Uint8Array(await buffer(stdin)),
    stream: () => Readable.toWeb(stdin) as unknown as ReadableStream<Uint8Array>,
    ...(!stdout.isTTY && {
      pipe: (bytes: ReadableStream<Uint8Array>) => pipeline(bytes, stdout, { end: false }),
    }),
    secret: (question) => {
      clear();
      return readSecret(question, stdin, stderr);
    },
    ...(stdin.isTTY &&
      stderr.isTTY && {
        confirm: async (question: string) => {
          clear();
          return confirm(question, stdin, stderr);
        },
      }),
    ...(isInteractive && {
      progress: (activity: string) => {
        stderr.write(`${CLEAR_LINE}${activity}`);
        showsProgress = true;
      },
    }),
  };
}

/** Rethrows EPIPE unchanged, because a reader such as `head` that leaves is not a failure. */
function toWriteError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE') return error;
  const message = `standard output cannot be written: ${error.message}`;
  return new CommandFailure(message, { cause: error, code: 'cannot_write' });
}

/**
 * Returns a function that waits until all writes have left the process, and returns their error, if any. Ending the
 * process earlier would cut off the text that a slow reader of the pipe has not read.
 */
export function trackWrites(stream: Writable): () => Promise<Error | undefined> {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return () =>
    new Promise((resolve) => {
      stream.write('', (error) => resolve(failure ?? error ?? undefined));
    });
}

/** Characters that control a terminal, or change the order of the text around them. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Makes text from outside safe for one line of a terminal. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, '\u{FFFD}');
}

/** Escapes each line of a text with several lines. */
export function escapeControlsInLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

/** Formats JSON in one line of a terminal, with control characters escaped; its value is unchanged. */
export function formatJsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
