import type { DescribedError } from './log.ts';

/** The longest write to a pipe that stays whole among other processes (POSIX, PIPE_BUF), in bytes. */
export const ATOMIC_BYTES = 4_096;

const SHORT_MESSAGE = 80;

/** Shortens the log line of an error to `maxBytes`: first drops stacks, deepest causes first, then cuts messages. */
export function shortenLine(line: string, maxBytes: number = ATOMIC_BYTES): string {
  if (Buffer.byteLength(line) <= maxBytes) return line;
  const entry: { error?: Shortened } = JSON.parse(line);
  const errors = listCauses(entry.error).reverse();
  let shorter = line;
  for (const shorten of [dropStack, cutMessage]) {
    for (const error of errors) {
      shorten(error);
      shorter = `${JSON.stringify(entry)}\n`;
      if (Buffer.byteLength(shorter) <= maxBytes) return shorter;
    }
  }
  return shorter;
}

type Shortened = { -readonly [Member in keyof DescribedError]: DescribedError[Member] };

function listCauses(error: Shortened | undefined): Shortened[] {
  return error === undefined ? [] : [error, ...listCauses(error.cause)];
}

function dropStack(error: Shortened): void {
  delete error.stack;
}

function cutMessage(error: Shortened): void {
  error.message = error.message.slice(0, SHORT_MESSAGE);
}
