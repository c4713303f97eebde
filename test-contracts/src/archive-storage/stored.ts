import type { ArchiveId, ArchiveStorage, StagedArchive } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import type { Interruptible } from '../expect-aborts.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import { walk } from '../walk.ts';
import type { ArchiveStorageSubject } from './contract.ts';

/** More concurrent calls than any pool, queue or limit of a client allows. */
export const MANY = 260;

export interface Stored {
  readonly id: ArchiveId;
  readonly bytes: Uint8Array;
}

/** Stores the `n`th archive through `port` and discards the staged one, as publishing does. */
export async function store(
  subject: ArchiveStorageSubject,
  n: number,
  length: number,
  port: ArchiveStorage = subject.port,
  id: ArchiveId = anArchiveId(n),
): Promise<Stored> {
  const bytes = someBytes(length, n);
  const staged = await subject.stage(bytes);
  await port.put(id, staged);
  await staged.discard();
  return { id, bytes };
}

/** A call of every method but `prepare`, with one archive; the put is of archive 2. */
export function callsOf(
  port: ArchiveStorage,
  id: ArchiveId,
  staged: StagedArchive,
): Readonly<Record<Exclude<keyof ArchiveStorage, 'prepare'>, Interruptible>> {
  return {
    put: (signal) => port.put(anArchiveId(2), staged, signal),
    read: (signal) => port.read(id, 0, 10, signal),
    size: (signal) => port.size(id, signal),
    delete: (signal) => port.delete(id, signal),
    list: (signal) => port.list(undefined, 10, signal),
    check: (signal) => port.check(signal),
  };
}

/** Reads a whole archive of known length piece by piece; `undefined` when a piece is absent. */
export async function readWhole(
  port: ArchiveStorage,
  id: ArchiveId,
  length: number,
): Promise<Uint8Array | undefined> {
  const whole = new Uint8Array(length);
  for (let from = 0; from < length; from += MAX_READ) {
    const piece = await port.read(id, from, Math.min(MAX_READ, length - from));
    if (piece === undefined) return undefined;
    whole.set(piece, from);
  }
  return whole;
}

/** A whole archive, which is listed and has its size, or none, which is neither. */
export async function readAsSized(
  port: ArchiveStorage,
  id: ArchiveId,
  length: number,
): Promise<Uint8Array | undefined> {
  const found = await readWhole(port, id, length);
  expect(await port.size(id), 'its size').to.equal(found?.length);
  const isListed = (await walkIds(port, 1_000)).includes(id);
  expect(isListed, 'whether it is listed').to.equal(found !== undefined);
  return found;
}

/** Fails unless the bytes are equal. The message does not print them, since they may be megabytes. */
export function expectSame(actual: Uint8Array | undefined, expected: Uint8Array, what: string): void {
  expect(actual, what).to.be.instanceOf(Uint8Array);
  const got = actual as Uint8Array;
  expect(got.length, `${what}: bytes`).to.equal(expected.length);
  expect(Buffer.compare(got, expected), `${what}: a different byte`).to.equal(0);
}

/** All ids, from the first or after one, page by page up to an empty page, since any page may be short. */
export async function walkIds(
  port: ArchiveStorage,
  limit: number,
  between?: (page: readonly ArchiveId[]) => Promise<void>,
  after?: ArchiveId,
): Promise<ArchiveId[]> {
  return await walk(limit, (last) => port.list(last, limit), { after, upTo: 'empty', between });
}

/** Fails unless a page is the beginning of all ids: it may be short, but empty only at the end. */
export function expectPage(page: readonly ArchiveId[], all: readonly ArchiveId[], what: string): void {
  expect(page, what).to.deep.equal(all.slice(0, Math.max(1, page.length)));
}

/** Lets other work run: a loop over a storage in memory would block everything else. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
