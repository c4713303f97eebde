/**
 * Code that the published suites of adapters cannot judge, with a test of its own: it does not count in an adapter's score.
 */
export interface Unjudged {
  /** The file and the title of its test. */
  readonly test: readonly [file: string, title: string];
  /** The only condition that shows it. Opening and closing are not calls of a port. */
  readonly shownBy: 'a power cut' | 'a full disk' | 'contention' | 'speed' | 'opening';
  /** The beginnings of the statements, methods or fields, by file. */
  readonly code: Readonly<Record<string, readonly string[]>>;
}

const STORAGE = 'packages/storage-fs/test/fs-archive-storage.spec.ts';
const STAGING = 'packages/storage-fs/test/fs-staging.spec.ts';
const SRC = 'packages/storage-fs/src';
const FOLDERS = `${SRC}/archive-folders.ts`;
const ARCHIVES = `${SRC}/fs-archive-storage.ts`;
const FILES = `${SRC}/files.ts`;
const FLUSHES = 'flushes the file before it moves it, and every folder with a new name after that';

export const unjudged: readonly Unjudged[] = [
  {
    test: [STORAGE, FLUSHES],
    shownBy: 'a power cut',
    code: {
      [FILES]: [
        'export async function syncFolder(',
        'export async function syncPath(',
        'export async function syncAndClose(',
        'if (first === undefined) return whole;',
        'for (let made = whole;',
      ],
      [ARCHIVES]: [
        'async prepare(archive: StagedArchive)',
        'this.#prepared.delete(archive);',
        'await (prepared ?? this.#flushing.run(undefined, () => syncPath(',
      ],
    },
  },
  {
    test: [STORAGE, FLUSHES],
    shownBy: 'speed',
    code: {
      [FOLDERS]: [
        'if (this.#durable.has(place.folder)) return;',
        'const [oldest] = this.#durable;',
        'if (this.#durable.size >=',
        'this.#durable.add(',
      ],
    },
  },
  {
    test: [STORAGE, 'does not disturb puts into the same folders, by this process or another'],
    shownBy: 'contention',
    code: {
      [FOLDERS]: ['forget(place: ArchivePlace)'],
      [ARCHIVES]: ["if (systemCodeOf(error) !== 'ENOENT' ||", 'this.#folders.forget(place);'],
    },
  },
  {
    test: [STORAGE, 'removes folders that deletions emptied, once no publication can use them'],
    shownBy: 'speed',
    code: { [FOLDERS]: ['async prune('], [ARCHIVES]: ['const age =', 'if (age > MIN_PRUNE_AGE)'] },
  },
  {
    test: [STORAGE, 'deletes at most two files at a time, for any number of requests'],
    shownBy: 'speed',
    code: { [ARCHIVES]: ['readonly #deletions: Semaphore ='] },
  },
  {
    test: [STORAGE, 'does not fail a check whose probe the check of another node has removed'],
    shownBy: 'contention',
    code: { [ARCHIVES]: ['await this.#files.rm(probe,'] },
  },
  {
    test: [STORAGE, 'does not open on two volumes, because archives are moved, never copied'],
    shownBy: 'opening',
    code: { [ARCHIVES]: ['export async function openFsArchiveStorage('] },
  },
  {
    test: [STORAGE, 'walks thousands in one folder and in many, page by page'],
    shownBy: 'speed',
    code: {
      [FOLDERS]: [
        'if (span < after.slice(',
        'if (prefix < after.slice(',
        'const wanted = limit - found.length;',
        'if (found.length >= limit) return found;',
        'if (found.length >= 2 * wanted + BATCH)',
      ],
    },
  },
  {
    test: ['packages/storage-fs/test/vanishing-folders.spec.ts', 'skips folders that are removed meanwhile'],
    shownBy: 'contention',
    code: {
      [FOLDERS]: [
        'const entries = (await unlessRefused(',
        'const entries = await unlessRefused(',
        'if (entries === undefined) return found;',
      ],
    },
  },
  {
    test: ['packages/storage-fs/test/full-disk.spec.ts', 'open, and allow reading and removing files'],
    shownBy: 'a full disk',
    code: {
      [FILES]: ['const FULL =', 'export async function unlessFull(', 'export async function writeProbe('],
    },
  },
  {
    test: [STAGING, 'writes large blocks even for small pieces'],
    shownBy: 'speed',
    code: { [`${SRC}/hashed-file.ts`]: ['if (this.#filled === BLOCK) await'] },
  },
  {
    test: [STAGING, 'removes each file once in concurrent sweeps'],
    shownBy: 'contention',
    code: { [`${SRC}/fs-staging.ts`]: ['swept += (await unlessRefused('] },
  },
  {
    test: [STAGING, 'does not open if nothing can be written'],
    shownBy: 'opening',
    code: { [`${SRC}/fs-staging.ts`]: ['export async function openFsStaging('] },
  },
];
