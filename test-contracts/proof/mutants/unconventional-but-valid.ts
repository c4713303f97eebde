import { archiveStorageContract } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { onPorts } from './mutant.ts';
import { archives, openIn } from './subjects.ts';
import { type TestedTable, tested } from './tested.ts';

/** The start of a page: a short page skips nothing. */
function some<Value>(page: readonly Value[]): readonly Value[] {
  return page.slice(0, Math.ceil(page.length / 3));
}

/** A storage that uses the freedom of its port: short pages, and bytes in buffers. Every clause must hold for it. */
export const unconventionalStorage: TestedTable = tested({
  contract: archiveStorageContract,
  open: async () =>
    onPorts(await openIn(archives)(), (storage) =>
      replacing(storage, {
        list: async (after, limit, signal) => some(await storage.list(after, limit, signal)),
        read: async (id, from, length, signal) => {
          const bytes = await storage.read(id, from, length, signal);
          return bytes && Buffer.from(bytes.buffer);
        },
      }),
    ),
});
