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
  Fault,
  minutes,
  type StagedArchive,
  seconds,
} from '@pinfold/core';
import { checkReadRange, parseArchiveId, Semaphore } from '@pinfold/core/adapter';
import { nameOf } from '@pinfold/core/internal';
import { listKeys, MAX_KEYS, readRange, retry, runCall, type S3Calls, sendFile } from './s3-calls.ts';
import { failureOf, IncompleteError, NonsenseError } from './s3-failure.ts';

/** Options of {@link S3ArchiveStorage}. */
export interface S3ArchiveStorageOptions {
  /** A client, best from {@link createS3Client}. The caller must destroy it. */
  readonly client: Pick<S3Client, 'send'>;
  readonly bucket: string;
  /** The folder of the archives in the bucket: segments of `a-z 0-9 . _ -` between slashes. Default `archives`. */
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
  /** The maximum number of concurrent calls; must be fewer than the client's connections. Default 128. */
  readonly parallel?: number | undefined;
  /** The longest time to store one archive, with all attempts. Default 2 minutes. */
  readonly putDeadline?: Duration | undefined;
  /** The longest time for any other call. Default 30 seconds. */
  readonly deadline?: Duration | undefined;
}

/** The longest time until the store begins its answer to a request without a body. */
const REQUEST_TIMEOUT = seconds(15);

/**
 * Stores archives as objects of an S3-compatible store: AWS, R2, Swift, Ceph and others.
 *
 * It uses only put, ranged get, head, delete and list: no locks, no exclusive creation. A check does not list.
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
  readonly #folder: string;
  readonly #calls: S3Calls;

  /** @throws TypeError for an invalid prefix. */
  constructor(options: S3ArchiveStorageOptions) {
    const { bucket, clock, prefix = 'archives', parallel = 128 } = options;
    this.#options = options;
    this.#folder = folderOf(prefix);
    this.#calls = { bucket, clock, gate: new Semaphore({ places: parallel }) };
  }

  /** Retries transient failures, each time from the beginning of the file. */
  async put(id: ArchiveId, archive: StagedArchive, signal?: AbortSignal): Promise<void> {
    const { clock, putDeadline = minutes(2) } = this.#options;
    await runCall(this.#calls, signal, putDeadline, (within) =>
      retry(clock, within, isTransient, async () => {
        await this.#send(id, archive, within);
        await this.#checkStored(id, archive.size, within);
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
      // HTTP has no empty range, so this only checks that the archive exists.
      const size = await this.#unlessAbsent(this.#sizeOf(id, within), within);
      if (size !== undefined && from > size)
        throw new Fault('storage_unavailable', `archive ${id} ends before byte ${from}`);
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
    const folder = this.#folder;
    const found: ArchiveId[] = [];
    let last = after === undefined ? undefined : folder + after;
    let more: boolean;
    // Lists once even for a limit of 0, so that the call fails if the store does not answer.
    let wanted = Math.max(1, limit);
    do {
      const request = { bucket, folder, after: last, limit: wanted };
      const page = await this.#call(signal, (within) =>
        listKeys(this.#options.client, request, smallRequest(within)),
      );
      for (const key of page.keys) {
        const id = parseArchiveId(key.slice(folder.length));
        if (id !== undefined) found.push(id);
      }
      last = page.keys.at(-1) ?? last;
      more = page.more;
      // Whole pages from now on, since many foreign keys may follow.
      wanted = MAX_KEYS;
    } while (more && found.length < limit);
    return found.slice(0, limit);
  }

  async check(signal?: AbortSignal): Promise<void> {
    await this.#call(signal, (within) => this.#checkBucket(within));
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

  /** Checks that all bytes are stored: a server, or a proxy before it, may answer 200 without having stored all. */
  async #checkStored(id: ArchiveId, size: number, within: AbortSignal): Promise<void> {
    const stored = await this.#unlessAbsent(this.#sizeOf(id, within), within);
    if (stored === size) return;
    if (stored !== undefined) await this.#remove(id, within);
    throw new IncompleteError(`${stored ?? 'none'} of ${size} bytes were stored`);
  }

  #range(id: ArchiveId, from: number, length: number, within: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const { client, clock } = this.#options;
    const Range = `bytes=${from}-${from + length - 1}`;
    return retry(clock, within, isIncomplete, async () => {
      const output = await client.send(
        new GetObjectCommand({ ...this.#target(id), Range }),
        smallRequest(within),
      );
      return readRange(output, from, length);
    });
  }

  async #sizeOf(id: ArchiveId, within: AbortSignal): Promise<number> {
    const output = await this.#options.client.send(
      new HeadObjectCommand(this.#target(id)),
      smallRequest(within),
    );
    return output.ContentLength ?? -1;
  }

  async #remove(id: ArchiveId, within: AbortSignal): Promise<void> {
    await this.#options.client.send(new DeleteObjectCommand(this.#target(id)), smallRequest(within));
  }

  /** Returns `undefined` if the archive is missing. Not every 404 names what is missing, so it checks the bucket, too. */
  async #unlessAbsent<Result>(present: Promise<Result>, within: AbortSignal): Promise<Result | undefined> {
    try {
      return await present;
    } catch (error) {
      if (failureOf(error) !== 'absent') throw error;
      if (!isNamed(error)) await this.#checkBucket(within);
      return undefined;
    }
  }

  /** Requests an object that is never stored: faster than listing a large bucket; unlike HEAD, it returns an error code. */
  async #checkBucket(within: AbortSignal): Promise<void> {
    const { client, bucket } = this.#options;
    const probe = new GetObjectCommand({ Bucket: bucket, Key: `${this.#folder}check`, Range: 'bytes=0-0' });
    try {
      const { Body, ContentRange } = await client.send(probe, smallRequest(within));
      (Body as Readable | undefined)?.destroy();
      // A server that answers any key is not an object store, and ignores ranges, too.
      if (ContentRange === undefined) throw new NonsenseError('an object that was never stored');
    } catch (error) {
      if (failureOf(error) !== 'absent') throw error;
      if (!isNamed(error)) await client.send(new HeadBucketCommand({ Bucket: bucket }), smallRequest(within));
    }
  }

  #target(id: ArchiveId): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#folder + id };
  }
}

/** Whether the answer itself names the object as missing, rather than the bucket. */
function isNamed(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey';
}

function isTransient(error: unknown): boolean {
  return !(error instanceof Fault) && failureOf(error) === 'again';
}

/** Whether an answer broke off. The SDK itself retries only until an answer begins. */
function isIncomplete(error: unknown): boolean {
  return error instanceof IncompleteError;
}

/** Options of requests without a body; the timeout would include the whole time of an upload. */
function smallRequest(within: AbortSignal): {
  readonly abortSignal: AbortSignal;
  readonly requestTimeout: number;
} {
  return { abortSignal: within, requestTimeout: REQUEST_TIMEOUT };
}

/** A segment of keys that every tested server stores unchanged and lists in order: lower case, not empty. */
const SEGMENT = /^[a-z0-9._-]{1,200}$/;

/**
 * The beginning of every key, before the id of its archive. Listing a whole bucket is unreliable on some servers.
 *
 * @throws TypeError when the prefix has anything but segments of `a-z 0-9 . _ -` between slashes.
 */
function folderOf(prefix: string): string {
  if (prefix.split('/').every((name) => SEGMENT.test(name) && name !== '.' && name !== '..'))
    return `${prefix}/`;
  throw new TypeError('a prefix is segments of a-z, 0-9, ".", "_" and "-" with "/" between them');
}
