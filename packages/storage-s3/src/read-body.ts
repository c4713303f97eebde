import type { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { IncompleteError, NonsenseError } from './s3-failure.ts';

/** Reads a ranged answer into its own memory. Always ends or destroys the body, which would hold its socket forever. */
export async function readRange(
  output: GetObjectCommandOutput,
  from: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  // In Node, the body is always a stream, although its type allows more.
  const body = output.Body as unknown as Readable | undefined;
  if (body === undefined) throw new NonsenseError('an answer without a body');
  try {
    const range = `bytes ${from}-${from + length - 1}/`;
    if (!output.ContentRange?.startsWith(range) || output.ContentLength !== length) {
      throw new NonsenseError(`asked for ${range}, answered ${output.ContentRange ?? 'no range'}`);
    }
    return await collect(body, length);
  } finally {
    body.destroy();
  }
}

async function collect(body: Readable, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  for await (const chunk of orIncomplete(body)) {
    if (filled + chunk.length > length) throw new NonsenseError('an answer longer than it says');
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < length) throw new IncompleteError(`an answer ended after ${filled} of ${length} bytes`);
  return bytes;
}

/** Converts any error of the connection to an {@link IncompleteError}: the response was cut off. */
async function* orIncomplete(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (cause) {
    throw new IncompleteError('an answer broke off', { cause });
  }
}
