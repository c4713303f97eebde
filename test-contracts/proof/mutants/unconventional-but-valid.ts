import type { Subject } from '@pinfold/test-contracts';
import { apiKeyStoreTable } from './api-key-store.ts';
import { archiveStorageTable } from './archive-storage.ts';
import { attemptCounterTable } from './attempt-counter.ts';
import { type MutantTable, mutating, type TestedTable, tested } from './mutant.ts';

/** The rows of some drivers have a class of their own. */
class Row {}

/** The same answer, of another class, with its fields in another order, and frozen. */
function asRows(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || answer instanceof Set) return answer;
  if (answer instanceof Uint8Array) return Buffer.from(answer.buffer);
  if (Array.isArray(answer)) return Object.freeze(answer.map(asRows));
  const fields = Object.entries(answer).reverse();
  const row = fields.length % 2 === 0 ? new Row() : Object.create(null);
  return Object.freeze(
    Object.assign(row, Object.fromEntries(fields.map(([name, value]) => [name, asRows(value)]))),
  );
}

/** Answers in rows. */
function inRows<Port extends object>(store: Port): Partial<Port> {
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    async (...inputs: unknown[]) => asRows(await method.apply(store, inputs)),
  ]);
  return Object.fromEntries(methods);
}

/** The start of a page: a short page skips nothing. */
function some<Value>(page: readonly Value[]): readonly Value[] {
  return page.slice(0, Math.ceil(page.length / 3));
}

/** Implementations that use the freedom that a port leaves. Every check must hold for them. */
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
  ...unconventional(attemptCounterTable, { 'answers in rows': inRows }),
  ...unconventional(apiKeyStoreTable, { 'answers in rows': inRows }),
];
