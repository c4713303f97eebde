import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure, UsageError } from './failures.ts';

/**
 * Reads a line without showing it. A person is asked twice; of a pipe or a file it is the first line.
 *
 * @param said where the question is shown.
 */
export async function readSecret(
  question: string,
  from: NodeJS.ReadStream,
  said: NodeJS.WritableStream,
): Promise<string> {
  if (!from.isTTY) return firstLine(from);
  const unseen = new Writable({ write: (_echo, _encoding, done) => done() });
  const lines = createInterface({ input: from, output: unseen, terminal: true });
  try {
    const first = await ask(lines, question, said);
    if ((await ask(lines, 'Again: ', said)) === first) return first;
    throw new CommandFailure('the two are not the same');
  } finally {
    lines.close();
  }
}

async function ask(lines: Interface, question: string, said: NodeJS.WritableStream): Promise<string> {
  said.write(question);
  const left = new AbortController();
  const leave = (): void => left.abort();
  lines.once('close', leave);
  try {
    return await lines.question('', { signal: left.signal });
  } catch (error) {
    if (!left.signal.aborted) throw error;
    throw new CommandFailure('nothing was entered', { cause: error });
  } finally {
    lines.off('close', leave);
    said.write('\n');
  }
}

async function firstLine(from: NodeJS.ReadStream): Promise<string> {
  const lines = createInterface({ input: from });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
  }
  throw new UsageError('a line is needed on standard input');
}
