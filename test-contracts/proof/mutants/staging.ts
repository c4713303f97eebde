import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Staging } from '@pinfold/core';
import { FsStaging, openFsStaging } from '@pinfold/storage-fs';
import { type StagingSubject, stagingContract } from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
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
      takes: { signal: 'signal' },
      early: { value: { kind: 'too_large' } },
      clauses:
        'unreachable receive-limit receive-whole discard receive-failing receive-many lets-go receive-aborted',
      tested: 'repeats',
    },
    sweep: {
      early: { value: 0 },
      clauses: 'unreachable sweep sweep-foreign',
      untested: 'caches shares',
      tested: 'repeats',
    },
    countAbandoned: {
      early: { value: 0 },
      clauses: 'unreachable count',
      untested: 'caches hurries shares',
    },
    check: { takes: { signal: 'signal' }, clauses: 'unreachable check lets-go', untested: 'shares' },
  },
};

const stories: readonly Mutant<StagingSubject>[] = [
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
