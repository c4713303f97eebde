import type { DirectoryEntry, DirectoryListing } from '@pinfold/archive-zip/listing';

/** The four bytes of a directory header that contain the offset of its entry. */
const OFFSET_FIELD = 42;
const OFFSET_FIELD_END = 46;
const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const MAX_ENTRIES = 65_534;

/**
 * Copies a ZIP without some of its entries, and without unpacking it (APPNOTE.TXT, section 4.3). Returns `undefined` for
 * a Zip64 archive, and for entries that overlap, which no usual tool writes.
 */
export function leaveOut(
  archive: Blob,
  { entries, begin, isZip64 }: Pick<DirectoryListing, 'entries' | 'begin' | 'isZip64'>,
  isLeftOut: (name: string) => boolean,
): Blob | undefined {
  const ends = endsOf(entries, begin);
  if (ends === undefined || isZip64 || entries.length > MAX_ENTRIES) return undefined;
  const contents: BlobPart[] = [];
  const directory: Blob[] = [];
  let position = 0;
  for (const { name, at, next, localOffset } of entries) {
    if (isLeftOut(name)) continue;
    const end = ends.get(localOffset) ?? localOffset;
    contents.push(archive.slice(localOffset, end));
    const offset = createBuffer(4, (view) => view.setUint32(0, position, true));
    directory.push(
      new Blob([archive.slice(at, at + OFFSET_FIELD), offset, archive.slice(at + OFFSET_FIELD_END, next)]),
    );
    position += end - localOffset;
  }
  const size = directory.reduce((sum, header) => sum + header.size, 0);
  return new Blob([...contents, ...directory, endRecord(directory.length, size, position)], {
    type: 'application/zip',
  });
}

/** The end of each entry, by its start: the start of the next one, or of the directory. `undefined` if two share one. */
function endsOf(entries: readonly DirectoryEntry[], begin: number): ReadonlyMap<number, number> | undefined {
  const starts = entries.map(({ localOffset }) => localOffset).sort((one, other) => one - other);
  const ends = new Map(starts.map((offset, n) => [offset, starts[n + 1] ?? begin] as const));
  const areApart = ends.size === starts.length && [...ends].every(([offset, end]) => offset < end);
  return areApart ? ends : undefined;
}

function endRecord(count: number, size: number, offset: number): ArrayBuffer {
  return createBuffer(END_BYTES, (view) => {
    view.setUint32(0, END_SIGNATURE, true);
    view.setUint16(8, count, true);
    view.setUint16(10, count, true);
    view.setUint32(12, size, true);
    view.setUint32(16, offset, true);
  });
}

function createBuffer(bytes: number, write: (view: DataView) => void): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes);
  write(new DataView(buffer));
  return buffer;
}
