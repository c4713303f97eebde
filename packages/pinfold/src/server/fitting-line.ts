import type { DescribedError } from './log.ts';

/** The longest write to a pipe that other processes cannot split (POSIX, PIPE_BUF), in bytes. */
export const ATOMIC_BYTES = 4_096;

const SHORT_MESSAGE = 80;

/** The line of an error, in so many bytes: without the stacks of its deepest causes first, and with cut messages last. */
export function fittingLine(line: string, most: number = ATOMIC_BYTES): string {
  if (Buffer.byteLength(line) <= most) return line;
  const entry: { error?: Shortened } = JSON.parse(line);
  const errors = causesOf(entry.error).reverse();
  let shorter = line;
  for (const shorten of [withoutStack, withShortMessage]) {
    for (const error of errors) {
      shorten(error);
      shorter = `${JSON.stringify(entry)}\n`;
      if (Buffer.byteLength(shorter) <= most) return shorter;
    }
  }
  return shorter;
}

type Shortened = { -readonly [Member in keyof DescribedError]: DescribedError[Member] };

function causesOf(error: Shortened | undefined): Shortened[] {
  return error === undefined ? [] : [error, ...causesOf(error.cause)];
}

function withoutStack(error: Shortened): void {
  delete error.stack;
}

function withShortMessage(error: Shortened): void {
  error.message = error.message.slice(0, SHORT_MESSAGE);
}
