import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault, type Instant, isFault, type ReceiveOutcome, type Staging } from '@pinfold/core';
import { FsStaging, openFsStaging } from '@pinfold/storage-fs';
import { type StagingSubject, stagingContract } from '@pinfold/test-contracts';
import { createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage, Saboteur } from './sabotage.ts';

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

const soundSubject = async (): Promise<StagingSubject> => subjectOn(await newFolder());

const saboteur = saboteursOf<Staging, StagingSubject>(soundSubject);

/** The body as it is, but nobody can end it early. */
function unending(chunks: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
}

/** A body, and a signal that passes on an abort only while the body is asked for a piece. */
function heardWhileAsked(body: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const chunks = body[Symbol.asyncIterator]();
  const heard = new AbortController();
  let isAsked = true;
  const pass = (): void => (isAsked ? heard.abort(signal.reason) : undefined);
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    if (signal.aborted) throw new Error('nothing came any more');
    isAsked = true;
    const chunk = await chunks.next();
    isAsked = false;
    return chunk;
  };
  signal.addEventListener('abort', pass);
  if (signal.aborted) pass();
  const stop = (): void => signal.removeEventListener('abort', pass);
  return { heard: heard.signal, asked: { [Symbol.asyncIterator]: () => ({ next }) }, stop };
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

/** What is received, with another discard. */
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

const receiveSaboteurs: readonly Saboteur<StagingSubject>[] = [
  saboteur('staging/receive-whole', 'an empty body is not received', () => (sound) => ({
    receive: async (body, limit, signal) => {
      const outcome = await sound.receive(body, limit, signal);
      const empty = outcome.kind === 'received' && outcome.archive.size === 0;
      return empty ? { kind: 'too_large' } : outcome;
    },
  })),
  saboteur('staging/receive-limit', 'a body that is too large is read to its end', () => (sound) => ({
    receive: async (body, limit, signal) => {
      const chunks = body[Symbol.asyncIterator]();
      const outcome = await sound.receive(unending(chunks), limit, signal);
      if (outcome.kind === 'too_large') for (; !(await chunks.next()).done; );
      return outcome;
    },
  })),
  saboteur('staging/receive-failing', 'an error of the body comes out as a fault', () => (sound) => ({
    receive: (body, limit, signal) =>
      sound.receive(body, limit, signal).catch((cause: unknown) => {
        if (signal?.aborted || isFault(cause)) throw cause;
        throw new Fault('staging_unavailable', 'not received', { cause });
      }),
  })),
  saboteur('staging/receive-aborted', 'an abort comes out as a fault', () => (sound) => ({
    receive: (body, limit, signal) =>
      sound.receive(body, limit, signal).catch((cause: unknown) => {
        if (!signal?.aborted) throw cause;
        throw new Fault('staging_unavailable', 'aborted', { cause });
      }),
  })),
  saboteur(
    'staging/receive-aborted',
    'an abort while a piece is written passes for a broken body',
    () => (sound) => ({
      receive: async (body, limit, signal) => {
        if (signal === undefined) return sound.receive(body, limit);
        const { heard, asked, stop } = heardWhileAsked(body, signal);
        return sound.receive(asked, limit, heard).finally(stop);
      },
    }),
  ),
  saboteur('staging/receive-many', 'two bodies at once are given the same file', () => {
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
];

const sweepSaboteurs: readonly Saboteur<StagingSubject>[] = [
  saboteur('staging/discard', 'discarding again fails', () => (sound) => ({
    receive: async (body, limit, signal) => discardedOnce(await sound.receive(body, limit, signal)),
  })),
  saboteur(
    'staging/sweep',
    'what is younger goes too',
    () => (sound) => ({ sweep: () => sound.sweep(Number.MAX_SAFE_INTEGER as Instant) }),
    ['staging/count'],
  ),
  saboteur(
    'staging/count',
    'counting removes what it counts',
    () => (sound) => ({
      countAbandoned: (receivedBefore) => sound.sweep(receivedBefore),
    }),
    ['staging/sweep-foreign'],
  ),
  {
    breaks: 'staging/sweep-foreign',
    how: 'whatever lies there is swept',
    open: () => async () => {
      const subject = await soundSubject();
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
    breaks: 'staging/unreachable',
    how: 'a folder that is gone is taken for an empty one',
    open: () => async () => {
      const subject = await soundSubject();
      const gone = async (): Promise<Staging> =>
        replacing(await subject.unreachable(), { sweep: async () => 0 });
      return { ...subject, unreachable: gone };
    },
  },
  saboteur('staging/lets-go', 'a body is received with a listener that stays', () => (sound) => ({
    receive: (body, limit, signal) => {
      signal?.addEventListener('abort', () => undefined);
      return sound.receive(body, limit, signal);
    },
  })),
  saboteur('staging/check', 'a check leaves something behind', () => (sound) => ({
    check: async (signal) => {
      await sound.check(signal);
      await sound.receive(nothing(), 1);
    },
  })),
];

const harnessSaboteurs: readonly Saboteur<StagingSubject>[] = [
  {
    breaks: 'staging/harness-apart',
    how: 'all subjects are over the same folder',
    open: () => {
      const folder = newFolder();
      return async () => subjectOn(await folder);
    },
  },
  {
    breaks: 'staging/harness-peer',
    how: 'a peer opens a folder of its own',
    open: () => async () => subjectOn(await newFolder(), await newFolder()),
    alsoFails: ['staging/sweep', 'staging/count'],
  },
];

export const stagingSabotage: Sabotage<Staging, StagingSubject> = {
  contract: stagingContract,
  sound: () => soundSubject,
  saboteurs: [...harnessSaboteurs, ...receiveSaboteurs, ...sweepSaboteurs],
};
