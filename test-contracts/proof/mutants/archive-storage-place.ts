import type { ArchiveStorage } from '@pinfold/core';
import type { ArchiveStorageSubject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { openSound } from './archive-storage-stories.ts';
import type { Mutant } from './mutant.ts';

/** A storage that leaves things beside its archives, where only `left` finds them. */
function leaving(
  how: string,
  change: (sound: ArchiveStorage, leave: () => void) => Partial<ArchiveStorage>,
): Mutant<ArchiveStorageSubject> {
  return {
    breaks: ['leftovers'],
    how,
    open: () => async () => {
      const subject = await openSound();
      let count = 0;
      const leave = (): void => {
        count += 1;
      };
      const left = async (): Promise<number> => (await subject.port.list(undefined, 100)).length + count;
      return { ...subject, port: replacing(subject.port, change(subject.port, leave)), left };
    },
  };
}

/** What goes wrong in the place of the archives: it is gone, or something is left there. */
export const placeStories: readonly Mutant<ArchiveStorageSubject>[] = [
  {
    breaks: ['place-gone'],
    how: 'an archive is absent where its bucket is gone',
    open: () => async () => {
      const subject = await openSound();
      const placeGone = async (): Promise<ArchiveStorage> =>
        replacing(await subject.unreachable(), { size: async () => undefined });
      return { ...subject, placeGone };
    },
  },
  leaving('a put that ends early leaves its temporary object', (sound, leave) => ({
    put: (id, archive, signal) =>
      sound.put(id, archive, signal).catch((error: unknown) => {
        leave();
        throw error;
      }),
  })),
];
