import type { RoleQuery, RoleStore, Version } from '@pinfold/core';
import { titleFolded } from '@pinfold/core/adapter';
import type { Subject } from '@pinfold/test-contracts';
import { apiKeyStoreTable } from './api-key-store.ts';
import { archiveStorageTable } from './archive-storage.ts';
import { attemptCounterTable } from './attempt-counter.ts';
import { type MutantTable, mutating, type TestedTable, tested } from './mutant.ts';
import { roleStoreTable } from './role-store.ts';
import { listExamined } from './role-store-stories.ts';
import { sessionStoreTable } from './session-store.ts';

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

/** Looks at fifty roles for each page of a search: many pages have nothing. */
function searchByFifties(store: RoleStore, query: RoleQuery) {
  const { search } = query;
  if (search === undefined) return store.list(query);
  return listExamined(store, query, 50, (role) => `${titleFolded(role)}\n${role.id}`.includes(search));
}

/** Versions that are far from one another, and no number of changes. */
const FAR = 1_000;
const shown = (version: Version): Version => (version * FAR + 7) as Version;
const own = (version: Version | undefined): Version | undefined =>
  version === undefined ? version : (((version - 7) / FAR) as Version);

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
  ...unconventional(roleStoreTable, {
    'answers in rows': inRows,
    'short pages': (store) => ({
      list: (query) => searchByFifties(store, query),
      listArchives: async (after, limit) => some(await store.listArchives(after, limit)),
    }),
    'versions that are far from one another': (store) => ({
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, version: shown(loaded.version) };
      },
      save: (role, version, ...more) => store.save(role, own(version) as Version, ...more),
      loadComparison: async () => {
        const kept = await store.loadComparison();
        return kept && { ...kept, version: shown(kept.version) };
      },
      keepComparison: async (comparison, version) => {
        const kept = await store.keepComparison(comparison, own(version));
        return kept.kind === 'kept' ? { ...kept, version: shown(kept.version) } : kept;
      },
    }),
    'names in another order': (store) => ({
      whichAreNamed: async (ids) => new Set([...(await store.whichAreNamed(ids))].reverse()),
    }),
  }),
  ...unconventional(archiveStorageTable, {
    'short pages': (storage) => ({
      list: async (after, limit, signal) => some(await storage.list(after, limit, signal)),
    }),
    'bytes in buffers': (storage) => ({
      read: async (id, from, length, signal) => {
        const bytes = await storage.read(id, from, length, signal);
        return bytes && Buffer.from(bytes.buffer);
      },
    }),
  }),
  ...unconventional(attemptCounterTable, { 'answers in rows': inRows }),
  ...unconventional(apiKeyStoreTable, { 'answers in rows': inRows }),
  ...unconventional(sessionStoreTable, { 'answers in rows': inRows }),
];
