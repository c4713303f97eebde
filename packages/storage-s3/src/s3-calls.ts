import { Readable } from 'node:stream';
import {
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type Clock, type Duration, duration, Fault, type StagedArchive, seconds } from '@pinfold/core';
import type { Semaphore } from '@pinfold/core/adapter';
import { faultOf, IncompleteError, NonsenseError, retryAfter } from './s3-failure.ts';

/** The settings that all calls of a storage share. */
export interface S3Calls {
  readonly bucket: string;
  readonly clock: Clock;
  /** Has fewer places than the client has sockets: waiting for a socket would count as silence of the server. */
  readonly gate: Semaphore;
}

/**
 * Runs a call. Its signal aborts with the caller's, and at the deadline, which includes the wait for a place. Converts
 * failures to faults, but not an abort.
 */
export async function runCall<Result>(
  { bucket, clock, gate }: S3Calls,
  signal: AbortSignal | undefined,
  deadline: Duration,
  call: (within: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const [overdue, timer] = [new AbortController(), new AbortController()];
  const within = AbortSignal.any([signal ?? overdue.signal, overdue.signal]);
  clock.sleep(deadline, timer.signal).then(
    () => overdue.abort(),
    () => undefined,
  );
  try {
    return await gate.run(undefined, () => call(within), within);
  } catch (error) {
    // First, since the SDK reports an abort in several ways.
    signal?.throwIfAborted();
    if (error instanceof Fault) throw error;
    if (!overdue.signal.aborted) throw faultOf(error, bucket);
    const message = `the object store did not answer within ${deadline} ms`;
    throw new Fault('storage_unavailable', message, { cause: error });
  } finally {
    timer.abort();
  }
}

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
  let received = 0;
  let held: Uint8Array | undefined;
  try {
    for await (const chunk of archive.open()) {
      received += chunk.byteLength;
      if (received > archive.size) break;
      if (held !== undefined) yield held;
      held = chunk;
    }
    if (received !== archive.size)
      throw new RangeError(`the source has ${received} bytes or more, not ${archive.size}`);
    if (held !== undefined) yield held;
  } catch (error) {
    broken.abort(error);
    throw error;
  }
}

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
      throw new NonsenseError(`requested ${range}, answered ${output.ContentRange ?? 'no range'}`);
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

/** The maximum number of keys of a page. */
export const MAX_KEYS = 1_000;

interface KeyPage {
  readonly keys: readonly string[];
  readonly more: boolean;
}

interface KeyRequest {
  readonly bucket: string;
  /** Ends in `/`: some servers omit keys when the whole bucket is listed. */
  readonly folder: string;
  /** Lists only keys after this one, which need not exist. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Lists keys of a folder. Fails on an answer that could make a listing incomplete or endless. */
export async function listKeys(
  client: Pick<S3Client, 'send'>,
  request: KeyRequest,
  options: { readonly abortSignal: AbortSignal; readonly requestTimeout: number },
): Promise<KeyPage> {
  const { bucket, folder, after, limit } = request;
  const command = new ListObjectsV2Command({
    Bucket: bucket,
    Prefix: folder,
    MaxKeys: Math.min(limit, MAX_KEYS),
    ...(after === undefined ? {} : { StartAfter: after }),
  });
  const { Contents, KeyCount, IsTruncated } = await client.send(command, options);
  if (KeyCount === undefined || IsTruncated === undefined) throw new NonsenseError('a listing without count');
  const keys = (Contents ?? []).map(({ Key }) => Key ?? '');
  if (IsTruncated && keys.length === 0) throw new NonsenseError('a truncated listing without keys');
  const ordered = keys.every((key, at) => key.startsWith(folder) && isAfter(key, keys[at - 1] ?? after));
  if (!ordered) throw new NonsenseError('a listing out of order');
  return { keys, more: IsTruncated };
}

/** Keys are ordered by their bytes. */
function isAfter(key: string, before: string | undefined): boolean {
  return before === undefined || Buffer.compare(Buffer.from(key), Buffer.from(before)) > 0;
}

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE = 100;

/** If the store asks for a longer wait, the call fails instead; the caller may retry later. */
const MAX_PAUSE = seconds(20);

/** Runs a call until it succeeds, up to four times, while `isTransient` is true for its failure. */
export async function retry<Result>(
  clock: Clock,
  within: AbortSignal,
  isTransient: (error: unknown) => boolean,
  call: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await call();
    } catch (error) {
      const pause = Math.max(backOff(attempts), retryAfter(error));
      if (within.aborted || !isTransient(error) || attempts === MAX_ATTEMPTS || pause > MAX_PAUSE)
        throw error;
      await clock.sleep(duration(Math.ceil(pause)), within);
    }
  }
}

/** Exponential backoff with jitter: the delay doubles each time, and is multiplied by 1 to 2 at random. */
function backOff(attempts: number): number {
  return FIRST_PAUSE * 2 ** (attempts - 1) * (1 + Math.random());
}
