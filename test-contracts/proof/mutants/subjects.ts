import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  HmacGrantSigner,
  NodeApiKeySecrets,
  NodeSessionSecrets,
  RandomIds,
  ScryptPasswordHasher,
} from '@pinfold/platform-node';
import { FsStaging, openFsStaging } from '@pinfold/storage-fs';
import type {
  AccountStores,
  ArchiveInspectorSubject,
  ArchiveStorageSubject,
  ClockSubject,
  GrantSignerSubject,
  StagingSubject,
  StoreSubject,
  Subject,
} from '@pinfold/test-contracts';
import { createManualClock, createStagedArchives } from '@pinfold/test-contracts/fixtures';
import type { Story } from './mutant.ts';

/** Opens subjects that share no data with others, and whose peers share theirs. */
type Open<S> = () => Promise<S>;

/** A subject whose port is in one memory, and whose peers are in those of `peer`. */
type SubjectOn<S> = (memory: Memory, peer: () => Memory) => Promise<S>;

function inMemory<Port>(storeOf: (memory: Memory) => Port): SubjectOn<StoreSubject<Port>> {
  return async (memory, peer) => ({
    port: storeOf(memory),
    peer: async () => storeOf(peer()),
    unreachable: async () => storeOf(await closed(memory.peer())),
    dispose: () => memory.close(),
  });
}

export const accounts: SubjectOn<StoreSubject<AccountStores>> = inMemory((memory) => memory);
export const apiKeys = inMemory((memory) => memory.apiKeys);
export const attempts = inMemory((memory) => memory.attempts);

export const archives: SubjectOn<ArchiveStorageSubject> = async (memory, peer) => {
  const { stage, dispose } = await createStagedArchives();
  const store = await inMemory(({ archives }) => archives)(memory, peer);
  return {
    ...store,
    stage,
    strew: async () => {},
    dispose: async () => {
      await dispose();
      await store.dispose();
    },
  };
};

export function openIn<S>(subjectOn: SubjectOn<S>): Open<S> {
  return async () => {
    const memory = createMemory();
    return subjectOn(memory, () => memory.peer());
  };
}

/** Subjects that share their data, and peers that do not. */
export function harness<S>(subjectOn: SubjectOn<S>): readonly Story<S>[] {
  return [
    {
      breaks: 'harness-apart',
      how: 'all subjects share their data',
      open: () => {
        const memory = createMemory();
        return async () => subjectOn(memory.peer(), () => memory.peer());
      },
    },
    {
      breaks: 'harness-peer',
      how: 'a peer opens data of its own',
      open: () => async () => subjectOn(createMemory(), createMemory),
    },
  ];
}

async function closed(memory: Memory): Promise<Memory> {
  await memory.close();
  return memory;
}

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'pinfold-staging-'));

async function stagingIn(folder: string, peerFolder: string = folder): Promise<StagingSubject> {
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

export const openStaging: Open<StagingSubject> = async () => stagingIn(await newFolder());

export const stagingHarness: readonly Story<StagingSubject>[] = [
  {
    breaks: 'harness-apart',
    how: 'all subjects share a folder',
    open: () => {
      const folder = newFolder();
      return async () => stagingIn(await folder);
    },
  },
  {
    breaks: 'harness-peer',
    how: 'a peer opens a folder of its own',
    open: () => async () => stagingIn(await newFolder(), await newFolder()),
  },
];

/** One inspector for all subjects: it stores nothing, and its idle threads do not keep the process alive. */
const inspector = new ZipArchiveInspector();

export const openInspector: Open<ArchiveInspectorSubject> = async () => {
  const { stage, dispose } = await createStagedArchives();
  return { port: inspector, peer: async () => inspector, stage, dispose };
};

export const openClock: Open<ClockSubject> = async () => {
  const clock = createManualClock();
  return {
    port: clock,
    peer: async () => clock,
    elapse: async (length) => clock.advance(length),
    dispose: async () => {},
  };
};

const signer = (...secrets: readonly [string, ...string[]]) => new HmacGrantSigner({ secrets });
const SECRET = 'the present secret of this service';

export const openSigner: Open<GrantSignerSubject> = async () => ({
  port: signer(SECRET),
  peer: async () => signer(SECRET),
  successor: async () => signer('the secret that will take its place', SECRET),
  ofAnotherKey: async () => signer('the secret of another service there'),
  dispose: async () => {},
});

/** Opens subjects of a port that stores nothing. */
function stateless<Port>(create: () => Port): Open<Subject<Port>> {
  return async () => ({ port: create(), peer: async () => create(), dispose: async () => {} });
}

export const openKeySecrets = stateless(() => new NodeApiKeySecrets());
export const openSessionSecrets = stateless(() => new NodeSessionSecrets());
export const openIds = stateless(() => new RandomIds());
export const openHasher = stateless(() => new ScryptPasswordHasher({ cost: { logN: 1, r: 1, p: 1 } }));
