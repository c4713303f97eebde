import { fstatSync, readdirSync, readSync, statSync } from 'node:fs';

/** The words of the first copy of the header of the WAL index (SQLite's file format, `WalIndexHdr`). */
const HEADER_WORDS = 12;
const HEADER_BYTES = HEADER_WORDS * Uint32Array.BYTES_PER_ELEMENT;
/** The byte of the header that says that it is initialized. */
const IS_INIT = 12;

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

  /** Watches the file of a connection that has read and stays open; `undefined` off Linux, and if it was replaced. */
  static of(file: string): CommitWatch | undefined {
    if (process.platform !== 'linux') return undefined;
    try {
      const { dev, ino } = statSync(`${file}-shm`, { bigint: true });
      const isShared = (descriptor: number): boolean => {
        const found = statOf(descriptor);
        return found?.ino === ino && found.dev === dev;
      };
      const descriptor = readdirSync('/proc/self/fd').map(Number).find(isShared);
      return descriptor === undefined ? undefined : new CommitWatch(descriptor);
    } catch {
      return undefined;
    }
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

function statOf(descriptor: number) {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch {
    // It was closed meanwhile.
    return undefined;
  }
}
