import { Fault } from '../fault.ts';
import type { Branded } from './brand.ts';
import type { EntryPath } from './entry-path.ts';

/** A file of a published site, and where its bytes lie in the archive. */
export interface ManifestEntry {
  readonly path: EntryPath;
  /** Offset of the data, behind the local header. */
  readonly offset: number;
  /** Bytes in the archive from there. */
  readonly compressedSize: number;
  /** Bytes expanded. */
  readonly size: number;
  readonly method: 'stored' | 'deflated';
  /** CRC-32 of the expanded bytes, unsigned. */
  readonly crc32: number;
  /** Whether the proof saw that the whole file is valid UTF-8. */
  readonly utf8: boolean;
}

/** A manifest as stores keep it: text with its own version, opaque to them. */
export type EncodedManifest = Branded<string, 'EncodedManifest'>;

/** The files of a site by path in NFC, in which no two files of an archive are the same. */
export class Manifest {
  #byPath: ReadonlyMap<string, ManifestEntry> | undefined;
  readonly entries: readonly ManifestEntry[];

  constructor(entries: readonly ManifestEntry[]) {
    this.entries = entries;
  }

  /** The file of that path in NFC, or `undefined`. */
  get(path: string): ManifestEntry | undefined {
    // Made when it is needed: a page that lists the files needs it not, and it takes longer than the rest.
    this.#byPath ??= new Map(this.entries.map((entry) => [entry.path.normalize('NFC'), entry]));
    return this.#byPath.get(path);
  }
}

const VERSION = 1;

export function encodeManifest(entries: readonly ManifestEntry[]): EncodedManifest {
  const rows = entries.map((entry) => [
    entry.path,
    entry.offset,
    entry.compressedSize,
    entry.size,
    entry.method === 'deflated' ? 8 : 0,
    entry.crc32,
    entry.utf8 ? 1 : 0,
  ]);
  return JSON.stringify([VERSION, rows]) as EncodedManifest;
}

type Row = [EntryPath, number, number, number, 0 | 8, number, 0 | 1];

/** @throws Fault `store_corrupt` when the text is no manifest of a version known here. */
export function decodeManifest(encoded: EncodedManifest): Manifest {
  return new Manifest(
    rowsOf(encoded).map(([path, offset, compressedSize, size, method, crc32, utf8]) => ({
      path,
      offset,
      compressedSize,
      size,
      method: method === 8 ? 'deflated' : 'stored',
      crc32,
      utf8: utf8 === 1,
    })),
  );
}

function rowsOf(encoded: EncodedManifest): readonly Row[] {
  let cause: unknown;
  try {
    const [version, rows, more] = JSON.parse(encoded);
    if (version === VERSION && Array.isArray(rows) && more === undefined) return rows;
  } catch (error) {
    cause = error;
  }
  throw new Fault('store_corrupt', 'the manifest cannot be read', { cause });
}
