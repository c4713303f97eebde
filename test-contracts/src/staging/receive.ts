import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { StagedArchive } from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { someBytes } from '../fixtures/staged.ts';
import { rejectionOf } from '../rejection.ts';
import { bytesOf, inPieces, receive, type StagingClauses, stalling } from './subject.ts';

async function expectStaged(archive: StagedArchive, bytes: Uint8Array): Promise<void> {
  const what = `${bytes.length} bytes`;
  expect(archive.size, what).to.equal(bytes.length);
  expect(archive.sha256, what).to.equal(createHash('sha256').update(bytes).digest('hex'));
  for (const opening of ['first', 'second'])
    expect(Buffer.compare(await bytesOf(archive), bytes), `${what}: the ${opening} opening`).to.equal(0);
  if (archive.file !== undefined)
    expect(Buffer.compare(await readFile(archive.file), bytes), `${what}: the file`).to.equal(0);
  expect(Buffer.compare(archive.bytes ?? bytes, bytes), `${what} in memory`).to.equal(0);
}

export const receiveClauses: StagingClauses = {
  'staging/receive-whole: a staged archive has the bytes, size and SHA-256 of the body, even of an empty one, each time it is opened; bytes in memory and in a file are the same':
    async ({ port }) => {
      for (const length of [0, 1, 70_000, 1_500_000]) {
        const bytes = someBytes(length, length);
        await expectStaged(await receive(port, bytes), bytes);
      }
    },
  'staging/receive-limit: a body of exactly the limit is received; one byte more is too large, reading stops there and nothing is left':
    async (subject) => {
      const { port } = subject;
      const bytes = someBytes(100_000, 1);
      await expectStaged(await receive(port, bytes), bytes);
      const before = await subject.left();
      expect(await port.receive(inPieces(bytes), 99_999)).to.deep.equal({ kind: 'too_large' });

      let [given, closed] = [0, false];
      async function* endless(): AsyncGenerator<Uint8Array, void> {
        try {
          for (; given < 1_000_000; given += 1_000) yield bytes.subarray(0, 1_000);
        } finally {
          closed = true;
        }
      }
      expect(await port.receive(endless(), 10_000)).to.deep.equal({ kind: 'too_large' });
      expect(given, 'bytes asked for').to.be.at.most(50_000);
      expect(closed, 'the body is closed').to.equal(true);
      expect(await subject.left(), 'what is left').to.equal(before);
    },
  'staging/receive-failing: if the body fails, its error is thrown unchanged and nothing is left': async (
    subject,
  ) => {
    const { port } = subject;
    // An error of the network looks like one of the file system.
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read', errno: -104 });
    for (const error of [reset, new TypeError('broken'), { plain: 'value' }]) {
      async function* failing(): AsyncGenerator<Uint8Array, void> {
        yield someBytes(70_000, 1);
        throw error;
      }
      expect(await rejectionOf(port.receive(failing(), 1_000_000))).to.equal(error);
      expect(await subject.left()).to.equal(0);
    }
  },
  'staging/receive-aborted: an aborted signal rejects with its reason and nothing is left': async (
    subject,
  ) => {
    const { port } = subject;
    const reason = Object.assign(new Error('reset'), { code: 'ECONNRESET', syscall: 'read' });
    const early = port.receive(inPieces(someBytes(10, 1)), 100, AbortSignal.abort(reason));
    expect(await rejectionOf(early), 'before').to.equal(reason);

    const controller = new AbortController();
    const abort = (): void => void setImmediate(() => controller.abort(reason));
    const late = port.receive(stalling(someBytes(70_000, 1), abort), 1_000_000, controller.signal);
    expect(await rejectionOf(late), 'while the body stalls').to.equal(reason);
    expect(await subject.left(), 'what is left').to.equal(0);

    const busy = new AbortController();
    const pieces = stalling(someBytes(4_000_000, 1), () => undefined);
    const first = async (): Promise<IteratorResult<Uint8Array, void>> => {
      setImmediate(() => busy.abort(reason));
      return pieces.next();
    };
    const written = port.receive({ [Symbol.asyncIterator]: () => ({ next: first }) }, 5_000_000, busy.signal);
    expect(await rejectionOf(written), 'while a piece is written').to.equal(reason);
    expect(await subject.left(), 'what is left').to.equal(0);

    const bare = new AbortController();
    const chunks = stalling(someBytes(10, 1), () => void setImmediate(() => bare.abort(reason)));
    const body = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
    const barely = port.receive(body, 1_000, bare.signal);
    expect(await rejectionOf(barely), 'while a body that cannot be closed stalls').to.equal(reason);
    expect(await subject.left(), 'what is left').to.equal(0);
  },
  'staging/receive-many: concurrent bodies do not mix': async (subject) => {
    const bytesOf = (n: number): Uint8Array => someBytes(150_000 + n, n);
    const all = await together(subject, 20, (port, n) => receive(port, bytesOf(n)));
    for (const [n, archive] of all.entries()) await expectStaged(archive, bytesOf(n));
  },
};
