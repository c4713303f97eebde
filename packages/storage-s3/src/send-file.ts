import { Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { Fault, type StagedArchive } from '@pinfold/core';

/**
 * Sends a staged archive as one object, in one request, since the SDK cannot retry a stream. Always closes the source.
 *
 * @throws Fault `storage_unavailable` when the source cannot be read or has another length; the SDK's errors unchanged.
 */
export async function sendFile(
  client: Pick<S3Client, 'send'>,
  target: Omit<PutObjectCommandInput, 'Body' | 'ContentLength'>,
  archive: StagedArchive,
  signal: AbortSignal,
): Promise<void> {
  // Aborts the request if the body fails: otherwise the SDK would wait forever.
  const broken = new AbortController();
  const body = Readable.from(wholeOf(archive, broken), { objectMode: false });
  // Prevents an uncaught error: the reason of the abort has the failure.
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

/** Yields exactly the announced bytes or fails. Holds back the last chunk until the end: a server stores complete bytes. */
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
