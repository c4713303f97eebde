import type { Directory, DirectoryRecord } from './read-directory.ts';

const START_FIELD = 42;
const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const MOST_ENTRIES = 65_534;

/**
 * The ZIP without some of its entries (APPNOTE.TXT, section 4.3): what stays is copied as it is, nothing is unpacked.
 * `undefined` when the entries do not lie one behind the other, as those of every usual tool do.
 */
export function leaveOut(
  archive: Blob,
  { records, offset }: Extract<Directory, { kind: 'read' }>,
  leaves: (name: string) => boolean,
): Blob | undefined {
  const ends = endsOf(records, offset);
  if (ends === undefined || records.length > MOST_ENTRIES) return undefined;
  const contents: BlobPart[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let position = 0;
  for (const record of records) {
    if (leaves(record.entry.name)) continue;
    const end = ends.get(record.start) ?? record.start;
    contents.push(archive.slice(record.start, end));
    directory.push(movedTo(record, position));
    position += end - record.start;
  }
  const size = directory.reduce((sum, bytes) => sum + bytes.length, 0);
  return new Blob([...contents, ...directory, endRecord(directory.length, size, position)], {
    type: 'application/zip',
  });
}

/** Where each entry ends: where the next one starts, or the directory. */
function endsOf(
  records: readonly DirectoryRecord[],
  offset: number,
): ReadonlyMap<number, number> | undefined {
  const starts = records.map(({ start }) => start).sort((one, other) => one - other);
  const ends = new Map(starts.map((start, n) => [start, starts[n + 1] ?? offset] as const));
  const apart = ends.size === starts.length && [...ends].every(([start, end]) => start < end);
  return apart ? ends : undefined;
}

function movedTo({ bytes }: DirectoryRecord, start: number): Uint8Array<ArrayBuffer> {
  const moved = bytes.slice();
  new DataView(moved.buffer).setUint32(START_FIELD, start, true);
  return moved;
}

function endRecord(count: number, size: number, offset: number): Uint8Array<ArrayBuffer> {
  const record = new Uint8Array(END_BYTES);
  const view = new DataView(record.buffer);
  view.setUint32(0, END_SIGNATURE, true);
  view.setUint16(8, count, true);
  view.setUint16(10, count, true);
  view.setUint32(12, size, true);
  view.setUint32(16, offset, true);
  return record;
}
