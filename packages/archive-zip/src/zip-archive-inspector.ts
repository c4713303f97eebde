import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import {
  type ArchiveInspector,
  type ArchiveListing,
  type ArchiveProblem,
  type ArchiveProof,
  Fault,
  isFault,
  type ListedEntry,
  type ProofRequest,
  type StagedArchive,
} from '@pinfold/core';
import { TruncatedFile } from './archive-source.ts';
import {
  type Job,
  type JobReply,
  type JobResults,
  type ListResult,
  ProofControl,
  type StagedBytes,
  splitTasks,
} from './jobs.ts';
import { type PackedEntries, packTasks, unpackEntries, unpackProofs } from './packed.ts';
import { WorkerPool } from './worker-pool.ts';

/** The limits of a {@link ZipArchiveInspector}. */
export interface ZipArchiveInspectorOptions {
  /** The maximum number of threads, at least 1, each of which uses 10 MiB. Default: the number of cores, up to 4. */
  readonly workers?: number | undefined;
  /** The maximum number of entries of an archive, including folders; more are `too_many_files`. Default 150,000. */
  readonly entries?: number | undefined;
}

const MAX_WORKERS = 4;
const MAX_ENTRIES = 150_000;

/**
 * The module that reads small archives on this thread. It is loaded with the first of them, since most commands read none,
 * and only once: importing it again would take a tenth of a millisecond.
 */
let smallArchives: typeof import('./small-archive.ts') | undefined;
/** The largest archive that is read on the caller's thread, since switching threads would take longer. */
const SMALL_BYTES = 16_384;

/**
 * Reads and proves ZIP archives in its own threads (APPNOTE.TXT 6.3.10). If several readings of a directory are possible,
 * it compares its own with that of node-stream-zip.
 *
 * Call {@link ZipArchiveInspector.close} at the end; idle threads do not keep the process alive.
 *
 * @example
 * import { ZipArchiveInspector } from '@pinfold/archive-zip';
 * import { defaultLimits, type StagedArchive } from '@pinfold/core';
 * import { judgeListing } from '@pinfold/core/adapter';
 *
 * declare const archive: StagedArchive;
 *
 * const inspector = new ZipArchiveInspector();
 * const listing = await inspector.list(archive);
 * const { problems, tasks } = judgeListing(listing, defaultLimits);
 */
export class ZipArchiveInspector implements ArchiveInspector {
  readonly #workers: number;
  readonly #entries: number;
  readonly #pool: WorkerPool;
  readonly #copies: WeakMap<StagedArchive, Promise<Uint8Array>> = new WeakMap();

  constructor(options: ZipArchiveInspectorOptions = {}) {
    this.#workers = Math.max(1, options.workers ?? Math.min(MAX_WORKERS, availableParallelism()));
    this.#entries = options.entries ?? MAX_ENTRIES;
    this.#pool = new WorkerPool(this.#workers);
  }

  async list(
    archive: StagedArchive,
    signal?: AbortSignal,
    maxEntries: number = this.#entries,
  ): Promise<ArchiveListing> {
    const { size } = archive;
    const limit = Math.min(maxEntries, this.#entries);
    const bytes = smallArchiveBytes(archive);
    if (bytes !== undefined) {
      const { listSmall } = await this.#smallArchives(signal);
      const listing = await listSmall(bytes, limit);
      signal?.throwIfAborted();
      if (listing !== undefined) return listing;
    }
    const staged = await this.#bytesOf(archive);
    const [result] = await this.#run([{ kind: 'list', staged, size, maxEntries: limit } as const], signal);
    if (result === undefined) throw new TypeError('a listing was stopped without an abort');
    return toListing(result);
  }

  async prove(request: ProofRequest, signal?: AbortSignal): Promise<ArchiveProof> {
    const { archive, expandedBytes } = request;
    const { size } = archive;
    const { jobs, empty } = splitTasks(request, this.#workers);
    const sitePaths = request.tasks.flatMap(({ path }) => path ?? []).join('\n');
    const common = { kind: 'prove', size, expandedBytes, sitePaths } as const;
    const bytes = smallArchiveBytes(archive);
    if (bytes !== undefined) {
      const { proveSmall } = await this.#smallArchives(signal);
      const entries = proveSmall(bytes, { ...common, tasks: jobs.flat() });
      if (entries !== undefined) return { problems: [], entries: [...empty, ...entries] };
    }
    const staged = await this.#bytesOf(archive);
    const results = await this.#run(
      jobs.map((tasks) => ({ ...common, staged, tasks: packTasks(tasks) })),
      signal,
    );
    return {
      problems: withoutRepeats(results.flatMap(({ problems }) => problems)),
      entries: [...empty, ...results.flatMap(({ entries }) => unpackProofs(entries))],
    };
  }

  /** The bytes for threads: the file, or else a copy in shared memory, made once. */
  async #bytesOf(archive: StagedArchive): Promise<StagedBytes> {
    if (archive.file !== undefined) return { file: archive.file };
    const copied = this.#copies.get(archive) ?? copyOf(archive);
    this.#copies.set(archive, copied);
    return { shared: await copied };
  }

  async #smallArchives(signal: AbortSignal | undefined): Promise<typeof import('./small-archive.ts')> {
    signal?.throwIfAborted();
    this.#pool.throwIfClosing();
    smallArchives ??= await import('./small-archive.ts');
    return smallArchives;
  }

  /** Ends the threads after all running jobs; the inspector cannot be used any more. May be called again. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Runs jobs of one kind; all of them have ended when it returns or throws. */
  async #run<J extends Job>(
    jobs: readonly J[],
    signal: AbortSignal | undefined,
  ): Promise<readonly JobResults[J['kind']][]> {
    signal?.throwIfAborted();
    const control = new ProofControl();
    const stop = (): void => {
      control.stop();
      this.#pool.drop(control);
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const replies = await Promise.all(
        jobs.map(async (job) => {
          const reply = await this.#pool.run(job, control);
          if (reply.kind === 'refused' || reply.kind === 'failed') stop();
          return reply;
        }),
      );
      signal?.throwIfAborted();
      return replies.flatMap((reply) => resultOf(reply));
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }
}

/** The bytes of an archive in memory that is small enough for this thread; else `undefined`. */
function smallArchiveBytes({ bytes, size }: StagedArchive): Uint8Array | undefined {
  return bytes?.length === size && size <= SMALL_BYTES ? bytes : undefined;
}

async function copyOf(archive: StagedArchive): Promise<Uint8Array> {
  const bytes = new Uint8Array(new SharedArrayBuffer(archive.size));
  let length = 0;
  try {
    for await (const piece of archive.open()) {
      if (length + piece.length > bytes.length)
        throw new TruncatedFile('the staged archive is longer than what was received');
      bytes.set(piece, length);
      length += piece.length;
    }
    if (length < bytes.length)
      throw new TruncatedFile('the staged archive is shorter than what was received');
    return bytes;
  } catch (cause) {
    if (isFault(cause)) throw cause;
    throw new Fault('staging_unavailable', 'a staged archive cannot be read', { cause });
  }
}

function resultOf<Result>(reply: JobReply<Result>): readonly Result[] {
  switch (reply.kind) {
    case 'done':
      return [reply.result];
    case 'stopped':
      return [];
    case 'refused': {
      const cause = Object.assign(new Error(reply.message), { code: reply.code });
      throw new Fault('staging_unavailable', `a staged archive cannot be read: ${reply.message}`, { cause });
    }
    case 'failed':
      throw reply.error;
    default:
      return reply satisfies never;
  }
}

/** Unpacks a listing piece by piece, with other work in between: 100,000 entries take a tenth of a second. */
async function toListing({ pieces, ...listing }: ListResult): Promise<ArchiveListing> {
  const entries: ListedEntry[] = [];
  for (const [index, bytes] of pieces.entries()) {
    if (index > 0) await setImmediate();
    entries.push(...unpackEntries(deserialize(bytes) as PackedEntries));
  }
  return { entries, ...listing };
}

/** Removes repeated reports of several jobs that the archive expands too much. */
function withoutRepeats(problems: readonly ArchiveProblem[]): readonly ArchiveProblem[] {
  const first = problems.find(({ rule }) => rule === 'expanded_too_large');
  return problems.filter((problem) => problem.rule !== 'expanded_too_large' || problem === first);
}
