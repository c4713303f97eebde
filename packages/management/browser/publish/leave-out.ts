import type { DirectoryEntry, DirectoryListing } from '@pinfold/archive-zip/listing';

/** Where a header of the directory says where its entry starts, in four bytes. */
const START_FIELD = 42;
const START_END = 46;
const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const MAX_ENTRIES = 65_534;

/**
 * The ZIP without some of its entries (APPNOTE.TXT, section 4.3): the rest is copied as it is, nothing is unpacked.
 * `undefined` for a Zip64 archive, and when the entries do not lie one behind the other, as those of every usual tool do.
 */
export function leaveOut(
  archive: Blob,
  { entries, begin, isZip64 }: Pick<DirectoryListing, 'entries' | 'begin' | 'isZip64'>,
  leaves: (name: string) => boolean,
): Blob | undefined {
  const ends = endsOf(entries, begin);
  if (ends === undefined || isZip64 || entries.length > MAX_ENTRIES) return undefined;
  const contents: BlobPart[] = [];
  const directory: Blob[] = [];
  let position = 0;
  for (const { name, at, next, localOffset } of entries) {
    if (leaves(name)) continue;
    const end = ends.get(localOffset) ?? localOffset;
    contents.push(archive.slice(localOffset, end));
    const start = filled(4, (view) => view.setUint32(0, position, true));
    directory.push(
      new Blob([archive.slice(at, at + START_FIELD), start, archive.slice(at + START_END, next)]),
    );
    position += end - localOffset;
  }
  const size = directory.reduce((sum, header) => sum + header.size, 0);
  return new Blob([...contents, ...directory, endRecord(directory.length, size, position)], {
    type: 'application/zip',
  });
}

/** Where each entry ends: where the next one starts, or the directory. */
function endsOf(entries: readonly DirectoryEntry[], begin: number): ReadonlyMap<number, number> | undefined {
  const starts = entries.map(({ localOffset }) => localOffset).sort((one, other) => one - other);
  const ends = new Map(starts.map((start, n) => [start, starts[n + 1] ?? begin] as const));
  const apart = ends.size === starts.length && [...ends].every(([start, end]) => start < end);
  return apart ? ends : undefined;
}

function endRecord(count: number, size: number, offset: number): ArrayBuffer {
  return filled(END_BYTES, (view) => {
    view.setUint32(0, END_SIGNATURE, true);
    view.setUint16(8, count, true);
    view.setUint16(10, count, true);
    view.setUint32(12, size, true);
    view.setUint32(16, offset, true);
  });
}

function filled(bytes: number, write: (view: DataView) => void): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes);
  write(new DataView(buffer));
  return buffer;
}
