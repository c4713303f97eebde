import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type ArchiveId, type ArchiveStorage, isFault, type StagedArchive } from '@pinfold/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { abortedAfter, REASONS } from '../expect-aborts.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { rejectionOf } from '../rejection.ts';
import { nextTurn } from './stored.ts';
import type { ArchiveStorageSubject } from './subject.ts';

const HOWS = [
  'alone',
  'with a signal',
  'after one aborted',
  'beside one aborted',
  'twice at once',
  'beside others',
] as const;

/** How a call comes, and a number for what may differ in it. */
export type Manner = readonly [how: (typeof HOWS)[number], n: number];

export const aManner: fc.Arbitrary<Manner> = fc.tuple(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(HOWS[0]) },
    { weight: 5, arbitrary: fc.constantFrom(...HOWS) },
  ),
  fc.nat({ max: REASONS.length - 1 }),
);

export const ALONE: Manner = ['alone', 0];

/** Those in which a put is made once. */
export const aManneredOnce: fc.Arbitrary<Manner> = fc.tuple(
  fc.constantFrom('alone', 'with a signal', 'beside others'),
  fc.constant(0),
);

/** Ids of archives that come and go in one call. */
const SPARE = 1_000_000;

type Ask<Answer> = (signal?: AbortSignal) => Promise<Answer>;

/** Makes storages whose every call comes in a manner. It answers as it does alone, or there is an `AssertionError`. */
export function mannered(
  stage: ArchiveStorageSubject['stage'],
): (storage: ArchiveStorage, manner: Manner) => ArchiveStorage {
  let spares = 0;
  const spare = (): ArchiveId => {
    spares += 1;
    return anArchiveId(SPARE + spares);
  };
  const copyOf = async ({ file }: StagedArchive): Promise<StagedArchive> => stage(await readFile(file));
  return (storage, manner) => {
    const asked = <Answer>(ask: Ask<Answer>): Promise<Answer> => {
      const others = (): Promise<unknown> => besideOthers(storage, stage, spare());
      return inManner(ask, manner, others);
    };
    return {
      put: async (id, archive) => {
        const [how, n] = manner;
        const once: Ask<void> = async (signal) => await storage.put(id, archive, signal);
        if (how === 'with a signal' || how === 'beside others') return await asked(once);
        if (how !== 'alone') {
          const copy = await copyOf(archive);
          if (how === 'after one aborted') await putAborted(storage, id, copy, n);
          else if (how === 'twice at once') return await putTwice(storage, [id, archive], [spare(), copy]);
          else if (await putMeanwhile(storage, id, copy, n)) return;
        }
        await once();
      },
      read: (id, from, length) => asked((signal) => storage.read(id, from, length, signal)),
      size: (id) => asked((signal) => storage.size(id, signal)),
      delete: (id) => asked((signal) => storage.delete(id, signal)),
      list: (after, limit) => asked((signal) => storage.list(after, limit, signal)),
      check: () => asked((signal) => storage.check(signal)),
    };
  };
}

async function inManner<Answer>(
  call: Ask<Answer>,
  [how, n]: Manner,
  others: () => Promise<unknown>,
): Promise<Answer> {
  // What throws at once is told as what rejects.
  const ask: Ask<Answer> = async (signal) => await call(signal);
  switch (how) {
    case 'alone':
      return await ask();
    case 'with a signal':
      return await thenAborted(ask);
    case 'after one aborted':
      expect(await rejectionOf(ask(AbortSignal.abort(REASONS[n])))).to.equal(REASONS[n]);
      return await ask();
    case 'beside one aborted': {
      const [aborted, answer] = await both(abortedAfter(n % 4, ask), ask());
      if (aborted !== undefined) expectAlike(aborted.answer, answer);
      return answer;
    }
    case 'twice at once': {
      const [one, other] = await both(ask(), ask());
      expectAlike(one, other);
      return other;
    }
    case 'beside others': {
      const [answer] = await both(ask(), others());
      return answer;
    }
    default:
      return how satisfies never;
  }
}

/** Both answers, or what failed when both have ended. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Of a call that has ended nothing is left, and an abort after that changes nothing. */
async function thenAborted<Answer>(ask: Ask<Answer>): Promise<Answer> {
  const controller = new AbortController();
  const [outcome] = await Promise.allSettled([ask(controller.signal)]);
  expect(getEventListeners(controller.signal, 'abort'), 'listeners').to.have.lengthOf(0);
  controller.abort();
  await nextTurn();
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** Two answers to one question, of which pages may be of different lengths. What is done to the first is its own. */
function expectAlike(one: unknown, other: unknown): void {
  if (Array.isArray(one) && Array.isArray(other)) {
    const both = Math.min(one.length, other.length);
    expect(one.slice(0, both)).to.deep.equal(other.slice(0, both));
    expect(one.length > 0, 'a page').to.equal(other.length > 0);
  } else expect(one).to.deep.equal(other);
  if (one instanceof Uint8Array) one.fill(9);
}

/** Calls of all kinds that change nothing. */
async function besideOthers(
  storage: ArchiveStorage,
  stage: ArchiveStorageSubject['stage'],
  id: ArchiveId,
): Promise<void> {
  const gone = await stage(Uint8Array.of(1));
  await gone.discard();
  const failing = rejectionOf(storage.put(id, gone));
  const [fault, size, page] = await Promise.all([
    failing,
    storage.size(id),
    storage.list(undefined, 1),
    rejectionOf(storage.delete(id, AbortSignal.abort())),
    storage.read(id, 0, 1),
    storage.delete(id),
    storage.check(),
  ]);
  expect(isFault(fault) ? fault.code : fault, 'a put of what is gone').to.equal('storage_unavailable');
  expect(size, 'of what could not be put').to.equal(undefined);
  expect(page.length).to.be.at.most(1);
}

async function putAborted(
  storage: ArchiveStorage,
  id: ArchiveId,
  copy: StagedArchive,
  n: number,
): Promise<void> {
  expect(await rejectionOf(storage.put(id, copy, AbortSignal.abort(REASONS[n])))).to.equal(REASONS[n]);
  await copy.discard();
  expect(await storage.size(id), 'of what was aborted').to.equal(undefined);
}

/** Whether a put that was aborted on the way came about. */
async function putMeanwhile(
  storage: ArchiveStorage,
  id: ArchiveId,
  copy: StagedArchive,
  n: number,
): Promise<boolean> {
  const put = await abortedAfter(n % 4, (signal) => storage.put(id, copy, signal));
  await copy.discard();
  const size = await storage.size(id);
  if (put !== undefined) expect(size, 'of what was put').to.equal(copy.size);
  return size !== undefined;
}

/** The same bytes under another id, aborted on the way and deleted then. */
async function putTwice(
  storage: ArchiveStorage,
  [id, archive]: [ArchiveId, StagedArchive],
  [other, copy]: [ArchiveId, StagedArchive],
): Promise<void> {
  await both(
    abortedAfter(0, (signal) => storage.put(other, copy, signal)),
    storage.put(id, archive),
  );
  await copy.discard();
  await storage.delete(other);
}
