import { closeSync, openSync } from 'node:fs';
import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { ArchiveListing } from '@pinfold/core';
import { type ArchiveSource, fileSource, isSystemError, memorySource } from './archive-source.ts';
import {
  type Job,
  type JobReply,
  type JobRequest,
  type JobResults,
  type ListResult,
  ProofControl,
  StoppedError,
} from './jobs.ts';
import { listArchive } from './list-archive.ts';
import { packEntries, packProofs, unpackTasks } from './packed.ts';
import { proveEntries } from './prove-entries.ts';

/** The receiver unpacks this many entries in a few milliseconds. */
const ENTRIES_PER_PIECE = 1_000;

const port = parentPort;
if (port === null) throw new TypeError('this file is run as a worker thread');

let previous: Promise<void> = Promise.resolve();

// One job at a time: this bounds the memory of a worker.
port.on('message', (request: JobRequest) => {
  previous = previous.then(async () => {
    const reply = await answer(request);
    port.postMessage(reply);
  });
});

async function answer({ id, job, control }: JobRequest): Promise<JobReply> {
  try {
    return { id, kind: 'done', result: await run(job, new ProofControl(control)) };
  } catch (error) {
    if (error instanceof StoppedError) return { id, kind: 'stopped' };
    if (isSystemError(error)) return { id, kind: 'refused', code: error.code ?? '', message: error.message };
    return { id, kind: 'failed', error };
  }
}

async function run(job: Job, control: ProofControl): Promise<JobResults[Job['kind']]> {
  control.throwIfStopped();
  if ('shared' in job.staged) return await read(memorySource(job.staged.shared), job, control);
  const fd = openSync(job.staged.file, 'r');
  try {
    return await read(fileSource(fd, job.size), job, control);
  } finally {
    closeSync(fd);
  }
}

async function read(
  archive: ArchiveSource,
  job: Job,
  control: ProofControl,
): Promise<JobResults[Job['kind']]> {
  if (job.kind === 'list') return toListResult(await listArchive(archive, job.maxEntries, control));
  const { problems, entries } = await proveEntries(
    archive,
    { ...job, tasks: unpackTasks(job.tasks) },
    control,
  );
  return { problems, entries: packProofs(entries) };
}

function toListResult({ entries, ...listing }: ArchiveListing): ListResult {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < entries.length; from += ENTRIES_PER_PIECE) {
    pieces.push(serialize(packEntries(entries.slice(from, from + ENTRIES_PER_PIECE))));
  }
  return { pieces, ...listing };
}
