import type { ArchiveStorage } from '@pinfold/core';
import { createMemory, type Memory } from '@pinfold/memory';
import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
import { createStagedArchives, replacing } from '@pinfold/test-contracts/fixtures';
import { type SpoilPort, saboteursOf } from '../one-for-each.ts';
import type { Opening, Saboteur } from '../sabotage.ts';

export type ArchiveSaboteur = Saboteur<ArchiveStorageSubject>;

async function subjectOn(memory: Memory, peer: () => Memory): Promise<ArchiveStorageSubject> {
  const staged = await createStagedArchives();
  return {
    port: memory.archives,
    peer: async () => peer().archives,
    stage: staged.stage,
    strew: async () => {},
    unreachable: () => closed(memory.peer()),
    dispose: async () => {
      await staged.dispose();
      await memory.close();
    },
  };
}

async function closed(memory: Memory): Promise<ArchiveStorage> {
  await memory.close();
  return memory.archives;
}

export function soundSubject(): Promise<ArchiveStorageSubject> {
  const memory = createMemory();
  return subjectOn(memory, () => memory.peer());
}

export const over =
  (handles: () => () => { memory: Memory; peer: () => Memory }): Opening<ArchiveStorageSubject> =>
  () => {
    const open = handles();
    return async () => {
      const { memory, peer } = open();
      return subjectOn(memory, peer);
    };
  };

export const saboteur = saboteursOf<ArchiveStorage, ArchiveStorageSubject>(soundSubject);

/** As {@link saboteur}, with the storage that does not answer spoiled in the same way. */
export function unreachableSaboteur(
  breaks: string,
  how: string,
  spoiling: SpoilPort<ArchiveStorage>,
  alsoFails: readonly string[] = [],
): ArchiveSaboteur {
  const open: Opening<ArchiveStorageSubject> = () => async () => {
    const subject = await soundSubject();
    const methods = spoiling();
    return {
      ...subject,
      unreachable: async () => {
        const port = await subject.unreachable();
        return replacing(port, methods(port));
      },
    };
  };
  return { breaks, how, alsoFails, open };
}

export const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};
