import { Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { confirm, readSecret } from './questions.ts';
import type { Terminal } from './terminal.ts';

/** Back to the first column, and the line is empty. */
const CLEARED = '\r\u{1B}[K';

export type Streams = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;

export function processTerminal({ env, stdin, stdout, stderr }: Streams): Terminal {
  let shown = false;
  const clear = (): void => {
    if (shown) stderr.write(CLEARED);
    shown = false;
  };
  const watched = stderr.isTTY && env.TERM !== 'dumb';
  return {
    env,
    out: (line) => {
      clear();
      stdout.write(`${line}\n`);
    },
    write: async (text) => {
      clear();
      await new Promise<void>((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(error) : resolve()));
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
    ...(watched && {
      progress: (doing: string) => {
        stderr.write(`${CLEARED}${doing}`);
        shown = true;
      },
    }),
  };
}

/**
 * Returns a function that waits until everything written to a stream so far has gone out, and returns the error if that
 * failed. The end of a process would cut off what a slow reader of its pipe has not read yet.
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
