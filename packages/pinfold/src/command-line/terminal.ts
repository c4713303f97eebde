import { Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Environment } from '../settings/settings.ts';
import { CommandFailure } from './failures.ts';
import { confirm, readSecret } from './input.ts';

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
