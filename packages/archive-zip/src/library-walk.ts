import { readSync } from 'node:fs';
import StreamZip from 'node-stream-zip';
import { END_BYTES, type EndRecord } from './end-record.ts';
import { isSystemError } from './system-error.ts';

/** An entry as node-stream-zip reads it from the directory; `headerOffset` is there though its typings lack it. */
export interface WalkedEntry {
  readonly headerOffset: number;
  readonly verMade: number;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly diskStart: number;
  readonly attr: number;
  readonly offset: number;
}

interface LibraryFiles {
  fstat(fd: number, done: (error: Error | null, stat?: { readonly size: number }) => void): void;
  read(
    fd: number,
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, read?: number) => void,
  ): void;
  close(fd: number, done: (error: Error | null) => void): void;
}

/** What node-stream-zip has and its typings lack: the file system it reads with. */
const library: { setFs(files: LibraryFiles): void } = StreamZip as never;

/** The library's own most. */
const CHUNK_BYTES = 131_072;

/**
 * Lets node-stream-zip walk the directory of an archive whose end records add up. Answers the entries it read
 * before it ended or gave up; whether that is all of them is for the caller to see.
 *
 * It reads through a file system of ours: the archive ends for it with the end record, since it takes bytes of a
 * comment for records and fails on the longest comment, and what it throws inside a read, where nobody could catch
 * it, ends the walk. The file system is set for the whole thread, so this runs in workers of this package only.
 */
export function walkWithLibrary(fd: number, end: EndRecord): Promise<readonly WalkedEntry[]> {
  return new Promise((resolve, reject) => {
    const entries: WalkedEntry[] = [];
    const finish = (): void => resolve(entries);
    const fail = (error: unknown): void => (isSystemError(error) ? reject(error) : finish());
    library.setFs(guardedFiles(end.at + END_BYTES, fail));
    const zip = new StreamZip({
      fd,
      chunkSize: CHUNK_BYTES,
      skipEntryNameValidation: true,
      storeEntries: false,
    });
    zip.on('entry', (entry) => entries.push(entry as unknown as WalkedEntry));
    zip.on('ready', finish);
    zip.on('error', finish);
  });
}

/** Each answer is given a turn later: the library asks in its constructor, before anybody can listen. */
function guardedFiles(size: number, fail: (error: unknown) => void): LibraryFiles {
  const later = (step: () => void): void =>
    queueMicrotask(() => {
      try {
        step();
      } catch (error) {
        fail(error);
      }
    });
  return {
    fstat: (_fd, done) => later(() => done(null, { size })),
    read: (fd, buffer, offset, length, position, done) =>
      later(() => done(null, readSync(fd, buffer, offset, Math.min(length, size - position), position))),
    close: (_fd, done) => later(() => done(null)),
  };
}
