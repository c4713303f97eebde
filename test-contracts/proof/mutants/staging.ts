import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault, type ReceiveOutcome, type Staging } from '@pinfold/core';
import { FsStaging, openFsStaging } from '@pinfold/storage-fs';
import { type StagingSubject, stagingContract } from '@pinfold/test-contracts';
import { createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'pinfold-staging-'));

async function subjectOn(folder: string, peerFolder: string = folder): Promise<StagingSubject> {
  const clock = createManualClock();
  return {
    port: await openFsStaging({ folder, clock }),
    peer: () => openFsStaging({ folder: peerFolder, clock }),
    unreachable: async () => new FsStaging({ folder: join(folder, 'gone'), clock }),
    left: async () => (await readdir(folder)).length,
    strew: () => writeFile(join(folder, 'README'), 'no upload'),
    advance: (length) => clock.advance(length),
    dispose: async () => {
      await rm(folder, { recursive: true, force: true });
      await rm(peerFolder, { recursive: true, force: true });
    },
  };
}

const openSound = async (): Promise<StagingSubject> => subjectOn(await newFolder());

const mutant = mutating<Staging, StagingSubject>(openSound);

const shape: PortShape<Staging> = {
  code: 'staging_unavailable',
  methods: {
    receive: {
      takes: { body: 'opaque', limit: 'count', signal: 'signal' },
      answers: { kind: 'choice', archive: { size: 'size', sha256: 'hash' } },
      early: { value: { kind: 'too_large' } },
      clauses: 'unreachable receive-limit discard receive-failing receive-many lets-go receive-aborted',
      untested: 'answers.archive.size.wrapped',
      tested: 'repeats takes.limit.capped',
    },
    sweep: {
      takes: { receivedBefore: 'instant' },
      answers: 'count',
      clauses: 'unreachable sweep',
      untested: 'caches shares',
      tested: 'repeats',
    },
    countAbandoned: {
      takes: { receivedBefore: 'instant' },
      answers: 'count',
      clauses: 'unreachable count',
      untested: 'caches hurries shares takes.receivedBefore.{earlier,seconds}',
    },
    check: {
      takes: { signal: 'signal' },
      clauses: 'unreachable check lets-go',
      untested: 'shares',
    },
  },
};

/** The body, without a way to end it early. */
function unending(chunks: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
}

async function* many(): AsyncGenerator<Uint8Array, void> {
  yield new Uint8Array(100_000);
}

/** A received archive that can be discarded once. */
function discardedOnce(outcome: ReceiveOutcome): ReceiveOutcome {
  if (outcome.kind !== 'received') return outcome;
  let gone = false;
  const discard = async (): Promise<void> => {
    if (gone) throw new Fault('staging_unavailable', 'discarded already');
    gone = true;
    await outcome.archive.discard();
  };
  return { kind: 'received', archive: { ...outcome.archive, discard } };
}

const stories: readonly Mutant<StagingSubject>[] = [
  mutant('receive-whole', 'an empty body is not received', () => (sound) => ({
    receive: async (body, limit, signal) => {
      const outcome = await sound.receive(body, limit, signal);
      const empty = outcome.kind === 'received' && outcome.archive.size === 0;
      return empty ? { kind: 'too_large' } : outcome;
    },
  })),
  mutant('receive-whole', 'the bytes in memory are not those of the file', () => (sound) => ({
    receive: async (body, limit, signal) => {
      const outcome = await sound.receive(body, limit, signal);
      if (outcome.kind !== 'received') return outcome;
      return {
        kind: 'received',
        archive: { ...outcome.archive, bytes: new Uint8Array(outcome.archive.size) },
      };
    },
  })),
  mutant('receive-limit', 'a body that is too large is read to its end', () => (sound) => ({
    receive: async (body, limit, signal) => {
      const chunks = body[Symbol.asyncIterator]();
      const outcome = await sound.receive(unending(chunks), limit, signal);
      if (outcome.kind === 'too_large') for (; !(await chunks.next()).done; );
      return outcome;
    },
  })),

  mutant('receive-many', 'two bodies at once are given the same file', () => {
    let running = 0;
    let file: string | undefined;
    return (sound) => ({
      receive: async (body, limit, signal) => {
        running += 1;
        const mixed = running > 1;
        const outcome = await sound.receive(body, limit, signal).finally(() => {
          running -= 1;
        });
        if (outcome.kind !== 'received') return outcome;
        file = mixed ? (file ?? outcome.archive.file) : outcome.archive.file;
        return { kind: 'received', archive: { ...outcome.archive, file } };
      },
    });
  }),
  mutant('discard', 'discarding again fails', () => (sound) => ({
    receive: async (body, limit, signal) => discardedOnce(await sound.receive(body, limit, signal)),
  })),

  mutant('count', 'counting removes the counted uploads', () => (sound) => ({
    countAbandoned: (receivedBefore) => sound.sweep(receivedBefore),
  })),
  {
    breaks: ['sweep-foreign'],
    how: 'whatever lies there is swept',
    open: () => async () => {
      const subject = await openSound();
      let strewn = 0;
      const swept = replacing(subject.port, {
        sweep: async (receivedBefore) => (await subject.port.sweep(receivedBefore)) + strewn,
      });
      const strew = async (): Promise<void> => {
        strewn += 1;
        await subject.strew();
      };
      return { ...subject, port: swept, strew };
    },
  },
  {
    breaks: ['unreachable'],
    how: 'a folder that is gone is taken for an empty one',
    open: () => async () => {
      const subject = await openSound();
      const gone = async (): Promise<Staging> =>
        replacing(await subject.unreachable(), { sweep: async () => 0 });
      return { ...subject, unreachable: gone };
    },
  },
  mutant('check', 'a check leaves something behind', () => (sound) => ({
    check: async (signal) => {
      await sound.check(signal);
      await sound.receive(many(), 100_000);
    },
  })),
];

const harness: readonly Mutant<StagingSubject>[] = [
  {
    breaks: ['harness-apart'],
    how: 'all subjects share a folder',
    open: () => {
      const folder = newFolder();
      return async () => subjectOn(await folder);
    },
  },
  {
    breaks: ['harness-peer'],
    how: 'a peer opens a folder of its own',
    open: () => async () => subjectOn(await newFolder(), await newFolder()),
  },
];

export const stagingTable: MutantTable<Staging, StagingSubject> = {
  contract: stagingContract,
  sound: () => openSound,
  mutants: [...harness, ...derived(shape, mutant), ...stories],
};
