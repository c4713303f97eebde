import { fstatSync, readdirSync, readSync, statfsSync, statSync } from 'node:fs';

/** The words of the first copy of the header of the WAL index (SQLite's file format, `WalIndexHdr`). */
const HEADER_WORDS = 12;
const HEADER_BYTES = HEADER_WORDS * Uint32Array.BYTES_PER_ELEMENT;
/** The word that counts commits since the log was recovered. */
const COMMITS = 2;
/** The byte of the header that says that it is initialized. */
const IS_INIT = 12;

/**
 * File systems whose files have one page cache for reads and for SQLite's mapping (statfs(2)): ext2 to ext4, XFS, Btrfs,
 * F2FS, ZFS, tmpfs and overlays of them. One over a network, or of another machine (9P), may read what is older.
 */
const COHERENT: ReadonlySet<number> = new Set([
  0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0xf2_f5_20_10, 0x2f_c1_2f_c1, 0x01_02_19_94, 0x79_4c_76_30,
]);

/**
 * Watches a database for commits, by any process, with one positioned read: it compares the header of the WAL index,
 * which is SQLite's own test of whether a connection may keep its page cache. SQLite rewrites the header before a commit
 * returns, and each commit counts in it. All 48 bytes are compared: after a recovery the counter begins anew, but salts
 * and checksums differ.
 *
 * It reads through SQLite's own descriptor of the `-shm` file. A descriptor of ours would have to stay open for ever:
 * closing any descriptor of the file drops the locks that this process holds on it (POSIX).
 */
export class CommitWatch {
  readonly #descriptor: number;
  readonly #seen: Uint32Array = new Uint32Array(HEADER_WORDS);
  readonly #now: Uint32Array = new Uint32Array(HEADER_WORDS);
  readonly #bytes: Uint8Array = new Uint8Array(this.#now.buffer);

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /**
   * Watches the file of a connection that has just been opened, has read and stays open; `undefined` off Linux, on other
   * file systems, and if it was replaced.
   */
  static of(file: string, typeOf = (path: string): number => statfsSync(path).type): CommitWatch | undefined {
    if (process.platform !== 'linux') return undefined;
    try {
      if (!COHERENT.has(typeOf(file) >>> 0)) return undefined;
      const { dev, ino } = statSync(`${file}-shm`, { bigint: true });
      const isShared = (descriptor: number): boolean => {
        try {
          const found = fstatSync(descriptor, { bigint: true });
          return found.ino === ino && found.dev === dev;
        } catch {
          // It was closed meanwhile.
          return false;
        }
      };
      const descriptor = readdirSync('/proc/self/fd').map(Number).find(isShared);
      return descriptor === undefined ? undefined : new CommitWatch(descriptor);
    } catch {
      return undefined;
    }
  }

  /** Another watch of the same file, for a caller that asks at other times. */
  fork(): CommitWatch {
    return new CommitWatch(this.#descriptor);
  }

  /** Whether anything was committed since SQLite last recovered the log. */
  hasCommits(): boolean {
    this.hasChanged();
    return this.#now[COMMITS] !== 0;
  }

  /** Whether anything may have been committed since the last call. */
  hasChanged(): boolean {
    try {
      if (readSync(this.#descriptor, this.#bytes, 0, HEADER_BYTES, 0) !== HEADER_BYTES) return true;
    } catch {
      return true;
    }
    if (this.#bytes[IS_INIT] === 1 && this.#isSeen()) return false;
    this.#seen.set(this.#now);
    return true;
  }

  /** A loop: calls into Node take longer for so few words, and every view comes here. */
  #isSeen(): boolean {
    for (let at = 0; at < HEADER_WORDS; at += 1) if (this.#now[at] !== this.#seen[at]) return false;
    return true;
  }
}

/** The most rows of one cache. */
const CAPACITY = 10_000;

/** Caches rows of one statement until something is committed to the database. */
export class RowCache<Row> {
  readonly #changes: Pick<CommitWatch, 'hasChanged'>;
  readonly #read: (key: string) => Row | undefined;
  readonly #rows: Map<string, Row> = new Map();
  #isFresh = false;

  constructor(changes: Pick<CommitWatch, 'hasChanged'>, read: (key: string) => Row | undefined) {
    this.#changes = changes;
    this.#read = read;
  }

  /** The row that a read transaction begun now, or since the last pause, would give. Callers share it and must not change it. */
  get(key: string): Row | undefined {
    // One look serves all that runs without a pause: what it answers had arrived before.
    if (!this.#isFresh) {
      if (this.#changes.hasChanged()) this.#rows.clear();
      this.#isFresh = true;
      queueMicrotask(() => {
        this.#isFresh = false;
      });
    }
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#read(key);
    // The row may or may not include a commit during the read, so the next call must read again.
    if (this.#changes.hasChanged()) this.#rows.clear();
    else if (row !== undefined) {
      if (this.#rows.size >= CAPACITY) this.#rows.clear();
      this.#rows.set(key, row);
    }
    return row;
  }
}
