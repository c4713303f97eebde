import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from './failures.ts';
import { readFirstLine } from './first-line.ts';

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
  shown: NodeJS.WritableStream,
): Promise<string> {
  if (!from.isTTY) return readFirstLine(from);
  const unseen = new Writable({ write: (_echo, _encoding, done) => done() });
  const lines = createInterface({ input: from, output: unseen, terminal: true });
  const askHere = async (text: string): Promise<string> => {
    shown.write(text);
    const answer = await ask(lines, '');
    shown.write('\n');
    if (answer === undefined) throw new CommandFailure('nothing was entered');
    return answer;
  };
  try {
    const first = await askHere(question);
    if ((await askHere('Again: ')) === first) return first;
    throw new CommandFailure('the two are not the same');
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
    // Or it had ended before, behind the answer to another question.
    const isOver = ended.signal.aborted || (error as NodeJS.ErrnoException).code === 'ERR_USE_AFTER_CLOSE';
    if (!isOver) throw error;
    return undefined;
  } finally {
    lines.off('close', end);
  }
}
