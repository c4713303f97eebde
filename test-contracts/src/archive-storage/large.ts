import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { abortedAfter } from '../expect-aborts.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import { rejectionOf } from '../rejection.ts';
import type { ArchiveStorageSubject } from './contract.ts';
import { expectSame, readAsSized, readWhole, type Stored, store } from './stored.ts';

/** Sizes of several parts in any implementation that splits archives. */
const [SEVERAL, MORE] = [1_400_003, 5_400_003];
/** More than a number of 25 bits, and a multiple of a MiB. */
const VAST = 34 * 1_048_576;

/** An archive larger than the limits of a column, a buffer or a float. */
export async function putVast(subject: ArchiveStorageSubject): Promise<void> {
  if (subject.largest !== undefined && subject.largest < VAST) return;
  const [id, bytes, peer] = [
    anArchiveId(50),
    Buffer.alloc(VAST, someBytes(65_521, 50)),
    await subject.peer(),
  ];
  const staged = await subject.stage(bytes);
  await subject.port.put(id, staged);
  await staged.discard();
  expect(await peer.size(id), 'its size').to.equal(VAST);
  for (let from = 0; from < VAST; from += MAX_READ) {
    const piece = await peer.read(id, from, MAX_READ);
    expectSame(piece, bytes.subarray(from, from + MAX_READ), `of a vast archive, from ${from}`);
  }
  const odd = VAST / 2 + 7;
  expectSame(await peer.read(id, odd, 5), bytes.subarray(odd, odd + 5), `5 from ${odd}`);
  await peer.delete(id);
  expect(await subject.port.size(id), 'deleted').to.equal(undefined);
}

export async function putLargeAtOnce(subject: ArchiveStorageSubject): Promise<void> {
  const lengths = [MORE, SEVERAL, MORE, SEVERAL + 1];
  const all = await together(subject, lengths.length, (port, n) =>
    store(subject, 90 + n, lengths[n] as number, port),
  );
  const read = await Promise.all(all.map(({ id, bytes }) => readWhole(subject.port, id, bytes.length)));
  for (const [n, { bytes }] of all.entries()) expectSame(read[n], bytes, `large one ${n} of several at once`);
  const reads = await Promise.all(
    all.flatMap(({ id }) => [0, 1_000].map((from) => subject.port.read(id, from, MAX_READ))),
  );
  for (const [n, piece] of reads.entries()) {
    const from = n % 2 === 0 ? 0 : 1_000;
    const { bytes } = all[n >> 1] as Stored;
    expectSame(piece, bytes.subarray(from, from + MAX_READ), `long read ${n} of several at once`);
  }
  await Promise.all(all.map(({ id }) => subject.port.delete(id)));
}

/** Nothing is stored of a staged file that was changed, even if it is large. */
export async function putLargeChanged(subject: ArchiveStorageSubject): Promise<void> {
  for (const [n, more] of [1, -1, 70_000, -70_000].entries()) {
    const [id, staged] = [anArchiveId(90 + n), await subject.stage(someBytes(SEVERAL, n))];
    await rejectionOf(subject.port.put(id, { ...staged, size: SEVERAL + more }));
    await staged.discard();
    expect(await readAsSized(subject.port, id, SEVERAL), `${more} bytes more than staged`).to.equal(
      undefined,
    );
  }
}

/** Aborted puts and deletions of archives of several parts: each is whole or absent. */
export async function abortLarge(subject: ArchiveStorageSubject, turns: number): Promise<void> {
  const { port } = subject;
  const length = turns % 2 === 0 ? MORE : SEVERAL;
  const [put, bytes] = [anArchiveId(60 + turns), someBytes(length, turns)];
  const staged = await subject.stage(bytes);
  const stored = await abortedAfter(turns, (signal) => port.put(put, staged, signal));
  await staged.discard();
  const found = await readAsSized(port, put, length);
  if (stored !== undefined || found !== undefined) expectSame(found, bytes, 'what was stored');
  const left = found === undefined ? await store(subject, 80 + turns, length) : { id: put, bytes };
  await deleteAborted(subject, left, turns);
}

/** After an aborted deletion an archive is complete or absent; then it is deleted. */
export async function deleteAborted(
  { port }: ArchiveStorageSubject,
  { id, bytes }: Stored,
  turns: number,
): Promise<void> {
  const deleted = await abortedAfter(turns, (signal) => port.delete(id, signal));
  const left = await readAsSized(port, id, bytes.length);
  if (deleted !== undefined) expect(left, 'what was deleted').to.equal(undefined);
  if (left === undefined) return;
  expectSame(left, bytes, 'what was not deleted');
  await port.delete(id);
}
