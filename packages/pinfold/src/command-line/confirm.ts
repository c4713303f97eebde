import { createInterface } from 'node:readline/promises';

/** Asks a question until it is answered with yes or no, or a word that begins so; what ends the input is a no. */
export async function confirm(
  question: string,
  from: NodeJS.ReadableStream,
  said: NodeJS.WritableStream,
): Promise<boolean> {
  const lines = createInterface({ input: from, output: said });
  const left = new AbortController();
  lines.once('close', () => left.abort());
  try {
    for (;;) {
      const answer = await lines.question(`${question} [y/n] `, { signal: left.signal });
      if (/^y/i.test(answer.trim())) return true;
      if (/^n/i.test(answer.trim())) return false;
    }
  } catch (error) {
    if (!left.signal.aborted) throw error;
    return false;
  } finally {
    lines.close();
  }
}
