import type { Subject } from '@pinfold/test-contracts';
import { archiveStorageTable } from './archive-storage.ts';
import { type MutantTable, mutating, type TestedTable, tested } from './mutant.ts';

/** The start of a page: a short page skips nothing. */
function some<Value>(page: readonly Value[]): readonly Value[] {
  return page.slice(0, Math.ceil(page.length / 3));
}

/** Implementations that use the freedom of a port. Every check must hold for them. */
function unconventional<Port extends object, S extends Subject<Port>>(
  table: MutantTable<Port, S>,
  implementations: Readonly<Record<string, (store: Port) => Partial<Port>>>,
): readonly { readonly how: string; readonly table: TestedTable }[] {
  return Object.entries(implementations).map(([how, spoiling]) => {
    const mutant = mutating<Port, S>(table.sound());
    return { how, table: tested({ ...table, sound: mutant('', how, () => spoiling).open }) };
  });
}

export const unconventionalTables: readonly { readonly how: string; readonly table: TestedTable }[] = [
  ...unconventional(archiveStorageTable, {
    'short pages, and bytes in buffers': (storage) => ({
      list: async (after, limit, signal) => some(await storage.list(after, limit, signal)),
      read: async (id, from, length, signal) => {
        const bytes = await storage.read(id, from, length, signal);
        return bytes && Buffer.from(bytes.buffer);
      },
    }),
  }),
];
