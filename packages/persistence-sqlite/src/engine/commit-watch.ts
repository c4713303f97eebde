import { fstatSync, readdirSync, readSync, statfsSync, statSync } from 'node:fs';

/** The words of the first copy of the header of the WAL index (SQLite's file format, `WalIndexHdr`). */
const HEADER_WORDS = 12;
const HEADER_BYTES = HEADER_WORDS * Uint32Array.BYTES_PER_ELEMENT;
/** The word that counts commits since the log was recovered. */
const COMMITS = 2;
/** The word with the number of pages in the log. */
const PAGES = 4;
/** The half of a word with the bytes of a page. */
const PAGE_BYTES = 7;
/** The byte of the header that is 1 once it is initialized. */
const IS_INIT = 12;
/** The bytes of the log before its first page, and before each page. */
const LOG_HEADER_BYTES = 32;
const PAGE_HEADER_BYTES = 24;

/**
 * File systems (by statfs(2)) in which reads and SQLite's memory mapping share one page cache: ext2 to ext4, XFS, Btrfs,
 * F2FS, ZFS, tmpfs and overlays of them. On network file systems, and those of another machine (9P), a read may be older.
 */
const COHERENT: ReadonlySet<number> = new Set([
  0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0xf2_f5_20_10, 0x2f_c1_2f_c1, 0x01_02_19_94, 0x79_4c_76_30,
]);

/**
 * Watches a database for commits of any process, with one read: it compares the header of the WAL index, by which SQLite
 * itself decides whether its page cache is valid. SQLite rewrites the header before a commit returns, and counts commits in
 * it. All 48 bytes are compared: a recovery resets the counter, but changes salts and checksums.
 *
 * It reads through SQLite's own descriptor of the `-shm` file. It must not open another: closing any descriptor of the
 * file drops the locks that this process holds on it (POSIX).
 */
export class CommitWatch {
  readonly #descriptor: number;
  readonly #seen: Uint32Array = new Uint32Array(HEADER_WORDS);
  readonly #now: Uint32Array = new Uint32Array(HEADER_WORDS);
  readonly #bytes: Uint8Array = new Uint8Array(this.#now.buffer);
  readonly #halves: Uint16Array = new Uint16Array(this.#now.buffer);

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /**
   * Watches the file of a connection that was just opened, has read, and stays open. Returns `undefined` except on Linux
   * and the file systems above, and if the file was replaced.
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
          // The descriptor was closed meanwhile.
          return false;
        }
      };
      const descriptor = readdirSync('/proc/self/fd').map(Number).find(isShared);
      return descriptor === undefined ? undefined : new CommitWatch(descriptor);
    } catch {
      return undefined;
    }
  }

  /** Another watch of the same file, with its own last state. */
  fork(): CommitWatch {
    return new CommitWatch(this.#descriptor);
  }

  /** Whether anything was committed since SQLite last recovered the log. */
  hasCommitsSinceRecovery(): boolean {
    this.#readHeader();
    return this.#now[COMMITS] !== 0;
  }

  /**
   * Whether the log is too short for the pages that the index counts: then another connection has the log of this index,
   * which was removed or replaced. False if something was committed meanwhile.
   */
  needsMoreLog(sizeOfLog: () => number): boolean {
    this.takeChange();
    const [pages = 0, pageBytes = 0] = [this.#now[PAGES], this.#halves[PAGE_BYTES]];
    if (pages === 0) return false;
    return sizeOfLog() < LOG_HEADER_BYTES + pages * (PAGE_HEADER_BYTES + pageBytes) && !this.takeChange();
  }

  /** Whether anything may have been committed since the last call; the next call compares with the state now. */
  takeChange(): boolean {
    if (!this.#readHeader()) return true;
    if (this.#bytes[IS_INIT] === 1 && this.#isSeen()) return false;
    this.#seen.set(this.#now);
    return true;
  }

  /** Reads the header into `#now`; false if it cannot be read whole. */
  #readHeader(): boolean {
    try {
      return readSync(this.#descriptor, this.#bytes, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    } catch {
      return false;
    }
  }

  /** A loop is faster than a call into Node for so few words; every view compares them. */
  #isSeen(): boolean {
    for (let at = 0; at < HEADER_WORDS; at += 1) if (this.#now[at] !== this.#seen[at]) return false;
    return true;
  }
}

const MAX_ROWS = 10_000;

/** Caches rows of one statement until something is committed to the database. */
export class RowCache<Row> {
  readonly #changes: Pick<CommitWatch, 'takeChange'>;
  readonly #read: (key: string) => Row | undefined;
  readonly #rows: Map<string, Row> = new Map();
  #isFresh = false;

  constructor(changes: Pick<CommitWatch, 'takeChange'>, read: (key: string) => Row | undefined) {
    this.#changes = changes;
    this.#read = read;
  }

  /** Returns the current row, as of now or of an earlier call in this tick. Callers share it and must not change it. */
  get(key: string): Row | undefined {
    // One check serves all calls until the microtask: their requests had arrived before the check.
    if (!this.#isFresh) {
      if (this.#changes.takeChange()) this.#rows.clear();
      this.#isFresh = true;
      queueMicrotask(() => {
        this.#isFresh = false;
      });
    }
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#read(key);
    // After a commit during the read, it is unknown whether the row includes it, so the next call must read again.
    if (this.#changes.takeChange()) this.#rows.clear();
    else if (row !== undefined) {
      if (this.#rows.size >= MAX_ROWS) this.#rows.clear();
      this.#rows.set(key, row);
    }
    return row;
  }
}
