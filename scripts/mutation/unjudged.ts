/**
 * What the published suites of adapters cannot judge, with a test of its own: it has no part in an adapter's score.
 */
export interface Unjudged {
  readonly file: string;
  /** How the statement, method or field begins. */
  readonly code: string;
  /** What alone shows it. Opening and closing are no calls of a port. */
  readonly shownBy: 'a power cut' | 'a full disk' | 'contention' | 'speed' | 'another thread' | 'opening';
  /** Where it is tested, and by which title. */
  readonly test: readonly [file: string, title: string];
}

const FS = 'packages/storage-fs/src';
const FLUSHES = [
  'packages/storage-fs/test/fs-archive-storage.spec.ts',
  'flushes the file before it moves it, and every folder with a new name after that',
] as const;
const RACES = [
  'packages/storage-fs/test/fs-archive-storage.spec.ts',
  'does not disturb puts into the same folders, by this process or another',
] as const;
const PRUNES = [
  'packages/storage-fs/test/fs-archive-storage.spec.ts',
  'removes folders that deletions emptied, once nothing can be on its way into them',
] as const;
const WALKS = [
  'packages/storage-fs/test/fs-archive-storage.spec.ts',
  'walks thousands in one folder and in many, page by page',
] as const;
const VANISHES = [
  'packages/storage-fs/test/vanishing-folders.spec.ts',
  'passes over folders that vanish on the way',
] as const;
const FILLS = [
  'packages/storage-fs/test/full-disk.spec.ts',
  'open, and what lies there can be read and removed',
] as const;

export const unjudged: readonly Unjudged[] = [
  {
    file: `${FS}/folders.ts`,
    code: 'export async function syncFolder(',
    shownBy: 'a power cut',
    test: FLUSHES,
  },
  {
    file: `${FS}/folders.ts`,
    code: 'if (first === undefined) return whole;',
    shownBy: 'a power cut',
    test: FLUSHES,
  },
  { file: `${FS}/folders.ts`, code: 'for (let made = whole;', shownBy: 'a power cut', test: FLUSHES },
  {
    file: `${FS}/fs-archive-storage.ts`,
    code: 'await handle.sync();',
    shownBy: 'a power cut',
    test: FLUSHES,
  },
  {
    file: `${FS}/archive-folders.ts`,
    code: 'if (this.#durable.has(place.folder)) return;',
    shownBy: 'speed',
    test: FLUSHES,
  },
  {
    file: `${FS}/archive-folders.ts`,
    code: 'const [oldest] = this.#durable;',
    shownBy: 'speed',
    test: FLUSHES,
  },
  { file: `${FS}/archive-folders.ts`, code: 'if (this.#durable.size >=', shownBy: 'speed', test: FLUSHES },
  { file: `${FS}/archive-folders.ts`, code: 'this.#durable.add(', shownBy: 'speed', test: FLUSHES },
  {
    file: `${FS}/archive-folders.ts`,
    code: 'forget(place: ArchivePlace)',
    shownBy: 'contention',
    test: RACES,
  },
  { file: `${FS}/archive-folders.ts`, code: 'async prune(', shownBy: 'speed', test: PRUNES },
  { file: `${FS}/fs-archive-storage.ts`, code: 'const age =', shownBy: 'speed', test: PRUNES },
  { file: `${FS}/fs-archive-storage.ts`, code: 'if (age > PRUNED_AFTER)', shownBy: 'speed', test: PRUNES },
  {
    file: `${FS}/fs-archive-storage.ts`,
    code: 'readonly #deletions: Gate =',
    shownBy: 'speed',
    test: [
      'packages/storage-fs/test/fs-archive-storage.spec.ts',
      'touches the disk for two deletions at a time, however many a sweep asks for',
    ],
  },
  {
    file: `${FS}/fs-archive-storage.ts`,
    code: "if (systemCode(error) !== 'ENOENT' ||",
    shownBy: 'contention',
    test: RACES,
  },
  {
    file: `${FS}/fs-archive-storage.ts`,
    code: 'this.#folders.forget(place);',
    shownBy: 'contention',
    test: RACES,
  },
  {
    file: `${FS}/fs-archive-storage.ts`,
    code: 'await this.#files.rm(probe,',
    shownBy: 'contention',
    test: [
      'packages/storage-fs/test/fs-archive-storage.spec.ts',
      'does not fail a check whose probe the check of another node has removed',
    ],
  },
  {
    file: `${FS}/hashed-file.ts`,
    code: 'if (this.#filled === BLOCK) await',
    shownBy: 'speed',
    test: [
      'packages/storage-fs/test/fs-staging.spec.ts',
      'writes in large blocks, however small the pieces are',
    ],
  },
  {
    file: `${FS}/fs-archive-storage.ts`,
    code: 'export async function openFsArchiveStorage(',
    shownBy: 'opening',
    test: [
      'packages/storage-fs/test/fs-archive-storage.spec.ts',
      'does not open across two volumes: archives are moved, never copied',
    ],
  },
  { file: `${FS}/archive-walk.ts`, code: 'if (span < after.slice(', shownBy: 'speed', test: WALKS },
  { file: `${FS}/archive-walk.ts`, code: 'if (prefix < after.slice(', shownBy: 'speed', test: WALKS },
  {
    file: `${FS}/archive-walk.ts`,
    code: 'const wanted = limit - found.length;',
    shownBy: 'speed',
    test: WALKS,
  },
  {
    file: `${FS}/archive-walk.ts`,
    code: 'if (found.length >= limit) return found;',
    shownBy: 'speed',
    test: WALKS,
  },
  {
    file: `${FS}/archive-walk.ts`,
    code: 'if (found.length >= 2 * wanted + ENTRIES)',
    shownBy: 'speed',
    test: WALKS,
  },
  {
    file: `${FS}/archive-walk.ts`,
    code: 'const entries = (await unlessRefused(',
    shownBy: 'contention',
    test: VANISHES,
  },
  {
    file: `${FS}/archive-walk.ts`,
    code: 'const entries = await unlessRefused(',
    shownBy: 'contention',
    test: VANISHES,
  },
  {
    file: `${FS}/archive-walk.ts`,
    code: 'if (entries === undefined) return found;',
    shownBy: 'contention',
    test: VANISHES,
  },
  { file: `${FS}/probe.ts`, code: 'const FULL =', shownBy: 'a full disk', test: FILLS },
  { file: `${FS}/probe.ts`, code: 'export async function unlessFull(', shownBy: 'a full disk', test: FILLS },
  { file: `${FS}/probe.ts`, code: 'export async function writeProbe(', shownBy: 'a full disk', test: FILLS },
  {
    file: `${FS}/fs-staging.ts`,
    code: 'swept += (await unlessRefused(',
    shownBy: 'contention',
    test: ['packages/storage-fs/test/fs-staging.spec.ts', 'sweeps once, however many sweep at the same time'],
  },
  {
    file: `${FS}/fs-staging.ts`,
    code: 'export async function openFsStaging(',
    shownBy: 'opening',
    test: ['packages/storage-fs/test/fs-staging.spec.ts', 'does not open where nothing can be written'],
  },
  {
    file: 'packages/memory/src/create-memory.ts',
    code: 'migrate: async () =>',
    shownBy: 'opening',
    test: [
      'test-contracts/test/memory/create-memory.spec.ts',
      'answers a handle that is ready, and migrates as often as one likes',
    ],
  },
  {
    file: 'packages/memory/src/create-memory.ts',
    code: 'check: async (signal) => {\n      signal?.throwIfAborted();\n      connection.open();',
    shownBy: 'opening',
    test: [
      'test-contracts/test/memory/create-memory.spec.ts',
      'rejects a check with the reason of an aborted signal',
    ],
  },
];
