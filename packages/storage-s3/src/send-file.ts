import { Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { Fault, type StagedArchive } from '@pinfold/core';

/**
 * Sends a staged archive as one object, in one request: the SDK retries no stream. Always closes the source.
 * @throws Fault `storage_unavailable` when it cannot be read or has another length; the SDK's errors as they are.
 */
export async function sendFile(
  client: Pick<S3Client, 'send'>,
  target: Omit<PutObjectCommandInput, 'Body' | 'ContentLength'>,
  archive: StagedArchive,
  signal: AbortSignal,
): Promise<void> {
  // With a body that fails, the SDK would wait for ever: an abort ends it.
  const broken = new AbortController();
  const body = Readable.from(wholeOf(archive, broken), { objectMode: false });
  // What matters of a failure is the reason of the abort.
  body.on('error', () => undefined);
  try {
    const command = new PutObjectCommand({ ...target, Body: body, ContentLength: archive.size });
    await client.send(command, { abortSignal: AbortSignal.any([signal, broken.signal]) });
  } catch (error) {
    const { aborted: isBroken, reason: cause } = broken.signal;
    if (signal.aborted || !isBroken) throw error;
    throw new Fault('storage_unavailable', 'the staged archive cannot be read whole', { cause });
  } finally {
    body.destroy();
    if (!body.closed) await new Promise<void>((resolve) => body.once('close', resolve));
  }
}

/** Gives exactly the announced bytes or fails. The last chunk waits for the end: a server with all bytes stores them. */
async function* wholeOf(archive: StagedArchive, broken: AbortController): AsyncGenerator<Uint8Array, void> {
  let seen = 0;
  let held: Uint8Array | undefined;
  try {
    for await (const chunk of archive.open()) {
      seen += chunk.byteLength;
      if (seen > archive.size) break;
      if (held !== undefined) yield held;
      held = chunk;
    }
    if (seen !== archive.size)
      throw new RangeError(`the source has ${seen} bytes or more, not ${archive.size}`);
    if (held !== undefined) yield held;
  } catch (error) {
    broken.abort(error);
    throw error;
  }
}
