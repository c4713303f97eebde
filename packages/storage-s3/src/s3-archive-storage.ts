import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import {
  type ArchiveId,
  type ArchiveStorage,
  type Clock,
  type Duration,
  isFault,
  minutes,
  type StagedArchive,
  seconds,
} from '@pinfold/core';
import { checkReadRange, Semaphore } from '@pinfold/core/adapter';
import { nameOf } from '@pinfold/core/internal';
import { ArchiveKeys } from './archive-keys.ts';
import { listKeys } from './list-keys.ts';
import { readRange } from './read-body.ts';
import { tryAgain } from './retry.ts';
import { runCall, type S3Calls } from './s3-calls.ts';
import { failureOf, IncompleteError, NonsenseError } from './s3-failure.ts';
import { sendFile } from './send-file.ts';

/** Options of {@link S3ArchiveStorage}. */
export interface S3ArchiveStorageOptions {
  /** A ready client, best made by {@link createS3Client}; it stays the caller's to destroy. */
  readonly client: Pick<S3Client, 'send'>;
  readonly bucket: string;
  /** The folder of the archives in the bucket, `archives` when absent: segments of `a-z 0-9 . _ -` between slashes. */
  readonly prefix?: string | undefined;
  readonly clock: Clock;
  /** Parameters of each object: encryption at rest, storage class. */
  readonly object?:
    | Pick<
        PutObjectCommandInput,
        | 'BucketKeyEnabled'
        | 'SSEKMSEncryptionContext'
        | 'SSEKMSKeyId'
        | 'ServerSideEncryption'
        | 'StorageClass'
        | 'Tagging'
      >
    | undefined;
  /** Calls at once, 128 when absent; fewer than the client has connections. */
  readonly parallel?: number | undefined;
  /** How long storing one archive may take, all tries together; 2 minutes when absent. */
  readonly putDeadline?: Duration | undefined;
  /** How long any other call may take; 30 seconds when absent. */
  readonly deadline?: Duration | undefined;
}

/** How long the store may take to begin its answer to a small request. */
const REQUEST_TIMEOUT = seconds(15);

/**
 * Keeps archives as objects of an S3-compatible store: AWS, R2, Swift, Ceph and others.
 *
 * Uses only put, ranged get, head, delete and list: no locks, no exclusive creation. A check lists nothing.
 *
 * @example
 * import { SystemClock } from '@pinfold/platform-node';
 * import { createS3Client, S3ArchiveStorage } from '@pinfold/storage-s3';
 *
 * const client = createS3Client({ region: 'eu-central-1' });
 * const archives = new S3ArchiveStorage({ client, bucket: 'sites', clock: new SystemClock() });
 */
export class S3ArchiveStorage implements ArchiveStorage {
  readonly #options: S3ArchiveStorageOptions;
  readonly #keys: ArchiveKeys;
  readonly #calls: S3Calls;

  /** @throws TypeError when the prefix has other characters than it may have. */
  constructor(options: S3ArchiveStorageOptions) {
    const { bucket, clock, prefix = 'archives', parallel = 128 } = options;
    this.#options = options;
    this.#keys = new ArchiveKeys(prefix);
    this.#calls = { bucket, clock, gate: new Semaphore({ places: parallel }) };
  }

  /** Tries again, from the file, while the store says that it may help. */
  async put(id: ArchiveId, archive: StagedArchive, signal?: AbortSignal): Promise<void> {
    const { clock, putDeadline = minutes(2) } = this.#options;
    await runCall(this.#calls, signal, putDeadline, (within) =>
      tryAgain(clock, within, mayPass, async () => {
        await this.#send(id, archive, within);
        await this.#expectStored(id, archive.size, within);
      }),
    );
  }

  /** @throws TypeError for a range that no archive can have. */
  async read(
    id: ArchiveId,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    signal?.throwIfAborted();
    checkReadRange(from, length);
    return this.#call(signal, async (within) => {
      if (length > 0) return this.#unlessAbsent(this.#range(id, from, length, within), within);
      // No range has no bytes: whether the archive is there is all that is asked.
      const size = await this.#unlessAbsent(this.#sizeOf(id, within), within);
      if (size !== undefined && from > size) throw new TypeError(`archive ${id} ends before byte ${from}`);
      return size === undefined ? undefined : new Uint8Array(0);
    });
  }

  async size(id: ArchiveId, signal?: AbortSignal): Promise<number | undefined> {
    return this.#call(signal, (within) => this.#unlessAbsent(this.#sizeOf(id, within), within));
  }

  async delete(id: ArchiveId, signal?: AbortSignal): Promise<void> {
    await this.#call(signal, (within) => this.#unlessAbsent(this.#remove(id, within), within));
  }

  async list(
    after: ArchiveId | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ArchiveId[]> {
    const { bucket } = this.#options;
    const { folder } = this.#keys;
    const found: ArchiveId[] = [];
    let last = after === undefined ? undefined : this.#keys.of(after);
    let more: boolean;
    // Lists once even for a limit of 0: the caller learns whether the store answers.
    do {
      const request = { bucket, folder, after: last, limit: Math.max(1, limit - found.length) };
      const page = await this.#call(signal, (within) =>
        listKeys(this.#options.client, request, small(within)),
      );
      found.push(...page.keys.map((key) => this.#keys.archiveOf(key)).filter((id) => id !== undefined));
      last = page.keys.at(-1) ?? last;
      more = page.more;
    } while (more && found.length < limit);
    return found.slice(0, limit);
  }

  async check(signal?: AbortSignal): Promise<void> {
    await this.#call(signal, (within) => this.#expectBucket(within));
  }

  #call<Result>(
    signal: AbortSignal | undefined,
    call: (within: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return runCall(this.#calls, signal, this.#options.deadline ?? seconds(30), call);
  }

  #send(id: ArchiveId, archive: StagedArchive, within: AbortSignal): Promise<void> {
    const { client, object } = this.#options;
    const target = { ...object, ...this.#target(id), ContentType: 'application/zip' };
    return sendFile(client, target, archive, within);
  }

  /** A server, or a proxy before it, may say 200 and have nothing, or a part. */
  async #expectStored(id: ArchiveId, size: number, within: AbortSignal): Promise<void> {
    const stored = await this.#unlessAbsent(this.#sizeOf(id, within), within);
    if (stored === size) return;
    if (stored !== undefined) await this.#remove(id, within);
    throw new IncompleteError(`${stored ?? 'none'} of ${size} bytes were stored`);
  }

  #range(id: ArchiveId, from: number, length: number, within: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const { client, clock } = this.#options;
    const Range = `bytes=${from}-${from + length - 1}`;
    return tryAgain(clock, within, wasCut, async () => {
      const output = await client.send(new GetObjectCommand({ ...this.#target(id), Range }), small(within));
      return readRange(output, from, length);
    });
  }

  async #sizeOf(id: ArchiveId, within: AbortSignal): Promise<number> {
    const output = await this.#options.client.send(new HeadObjectCommand(this.#target(id)), small(within));
    return output.ContentLength ?? -1;
  }

  async #remove(id: ArchiveId, within: AbortSignal): Promise<void> {
    await this.#options.client.send(new DeleteObjectCommand(this.#target(id)), small(within));
  }

  /** Not every 404 names what is missing: without its bucket, no archive is merely absent. */
  async #unlessAbsent<Result>(present: Promise<Result>, within: AbortSignal): Promise<Result | undefined> {
    try {
      return await present;
    } catch (error) {
      if (failureOf(error) !== 'absent') throw error;
      if (!isNamed(error)) await this.#expectBucket(within);
      return undefined;
    }
  }

  /** Requests an object never stored: unlike a listing, as fast for any bucket; unlike a HEAD, with what is wrong. */
  async #expectBucket(within: AbortSignal): Promise<void> {
    const { client, bucket } = this.#options;
    const probe = new GetObjectCommand({ Bucket: bucket, Key: this.#keys.probe, Range: 'bytes=0-0' });
    try {
      const { Body, ContentRange } = await client.send(probe, small(within));
      (Body as Readable | undefined)?.destroy();
      // A server that has an answer for any key ignores ranges, too.
      if (ContentRange === undefined) throw new NonsenseError('an object that nobody has stored');
    } catch (error) {
      if (failureOf(error) !== 'absent') throw error;
      if (!isNamed(error)) await client.send(new HeadBucketCommand({ Bucket: bucket }), small(within));
    }
  }

  #target(id: ArchiveId): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#keys.of(id) };
  }
}

/** Whether the answer says itself that it is the object that is missing. */
function isNamed(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey';
}

function mayPass(error: unknown): boolean {
  return !isFault(error) && failureOf(error) === 'again';
}

/** Until an answer begins, the SDK has tried again already. */
function wasCut(error: unknown): boolean {
  return error instanceof IncompleteError;
}

/** The time limit is for requests without a body of their own: it would count the whole of an upload. */
function small(within: AbortSignal): { readonly abortSignal: AbortSignal; readonly requestTimeout: number } {
  return { abortSignal: within, requestTimeout: REQUEST_TIMEOUT };
}
