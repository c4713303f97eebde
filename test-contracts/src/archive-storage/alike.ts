import { createReadStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ArchiveId, StagedArchive } from '@pinfold/core';
import { expect } from 'chai';
import { anArchiveId } from '../fixtures/roles.ts';
import { someBytes } from '../fixtures/staged.ts';
import { rejectionOf } from '../rejection.ts';
import type { ArchiveStorageSubject } from './contract.ts';
import { expectSame, readWhole, store } from './stored.ts';

/** Archives that are similar or equal are each stored separately. */
export async function putAlike(subject: ArchiveStorageSubject): Promise<void> {
  const bytes = someBytes(200_000, 20);
  const altered = [199_999, 0, 100_000].map((at) => bytes.map((byte, n) => (n === at ? ~byte : byte)));
  for (const [n, content] of [bytes, bytes, ...altered].entries()) {
    const staged = await subject.stage(content);
    await subject.port.put(anArchiveId(20 + n), staged);
    await staged.discard();
  }
  expect(await subject.port.size(anArchiveId(20)), 'the first of them').to.equal(bytes.length);
  await subject.port.delete(anArchiveId(20));
  expectSame(await readWhole(subject.port, anArchiveId(21), 200_000), bytes, 'the same bytes again');
  for (const [n, content] of altered.entries()) {
    expectSame(await readWhole(subject.port, anArchiveId(22 + n), 200_000), content, 'but for one byte');
  }
}

/** Ids that differ from an archive's in one digit of its instant or its UUID are absent. */
export async function expectSimilarIdsAbsent(subject: ArchiveStorageSubject): Promise<void> {
  const { id } = await store(subject, 50, 1_000);
  const digits = [0, 12, 14, 21, 28, 49];
  const near = digits.map(
    (at) => `${id.slice(0, at)}${id[at] === '9' ? '8' : '9'}${id.slice(at + 1)}` as ArchiveId,
  );
  for (const port of [subject.port, await subject.peer()]) {
    for (const other of near) {
      expect(await port.size(other), `the size of ${other}`).to.equal(undefined);
      expect(await port.read(other, 0, 10), `the bytes of ${other}`).to.equal(undefined);
    }
  }
}

/** The same bytes from several uploads at once. */
export async function putSameAtOnce(subject: ArchiveStorageSubject): Promise<void> {
  const bytes = someBytes(20_000, 40);
  const [gone, ...staged] = await Promise.all([39, 40, 41, 42].map(() => subject.stage(bytes)));
  await gone?.discard();
  await Promise.all([
    rejectionOf(subject.port.put(anArchiveId(39), gone as StagedArchive), 'of what is gone'),
    ...staged.map((archive, n) => subject.port.put(anArchiveId(40 + n), archive)),
  ]);
  for (const n of [40, 41, 42]) {
    expectSame(await readWhole(subject.port, anArchiveId(n), 20_000), bytes, 'the same bytes at once');
  }
  const again = await subject.stage(bytes);
  await Promise.all([
    subject.port.put(anArchiveId(43), again),
    ...[40, 41, 42].map((n) => subject.port.delete(anArchiveId(n))),
  ]);
  const stored = await readWhole(subject.port, anArchiveId(43), 20_000);
  expectSame(stored, bytes, 'put while all of the same bytes are deleted');
}

/** Puts staged files that have one name in different folders, concurrently; one path is relative to the working folder. */
export async function putOfOneName(subject: ArchiveStorageSubject): Promise<void> {
  const contents = [44, 45, 46].map((n) => [anArchiveId(n), someBytes(20_000, n)] as const);
  const staged = await Promise.all(
    contents.map(async ([id, bytes]) => {
      const archive = await subject.stage(bytes);
      const folder = join(dirname(archive.file), `of ${id}`);
      await mkdir(folder);
      const file = join(folder, 'upload');
      await rename(archive.file, file);
      const open = (): AsyncIterable<Uint8Array> => createReadStream(file);
      return { ...archive, open, file: id === anArchiveId(44) ? relative('', file) : file };
    }),
  );
  const put = async (id: ArchiveId, n: number): Promise<void> => {
    const archive = staged[n] as StagedArchive;
    // Not every staging stores archives in files.
    await subject.port.put(id, id === anArchiveId(46) ? { ...archive, file: undefined } : archive);
  };
  await Promise.all(contents.map(([id], n) => put(id, n)));
  for (const [id, bytes] of contents) {
    expectSame(await readWhole(subject.port, id, 20_000), bytes, 'staged under one name, or in no file');
  }
  for (const { file } of staged) await rm(dirname(file), { recursive: true });
}
