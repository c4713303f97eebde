import { pipeline, Readable } from 'node:stream';
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3';
import { Fault, type StagedArchive } from '@pinfold/core';
import { CountedBody } from './counted-body.ts';

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
  const source = Readable.from(archive.open(), { objectMode: false });
  const body = new CountedBody(archive.size);
  // With a source that fails, the SDK would wait for ever: an abort ends it.
  const broken = new AbortController();
  let failure: Error | undefined;
  pipeline(source, body, (error) => {
    failure ??= error ?? undefined;
    if (error !== null && error !== undefined) broken.abort(error);
  });
  try {
    const command = new PutObjectCommand({ ...target, Body: body, ContentLength: archive.size });
    await client.send(command, { abortSignal: AbortSignal.any([signal, broken.signal]) });
  } catch (error) {
    // The upload's end also ends the source, which is then no failure of its own.
    if (signal.aborted || failure === undefined || isConsequence(failure)) throw error;
    throw new Fault('storage_unavailable', 'the staged archive cannot be read whole', { cause: failure });
  } finally {
    body.destroy();
    source.destroy();
    if (!source.closed) await new Promise<void>((resolve) => source.once('close', resolve));
  }
}

function isConsequence(failure: Error): boolean {
  return 'code' in failure && failure.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
