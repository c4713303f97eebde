import type { ArchiveListing, ListedEntry } from '@pinfold/core';

/** What the central directory of a ZIP says of one entry. */
export interface DirectoryRecord {
  readonly entry: ListedEntry;
  /** The record itself, as it stands there. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the entry's local header begins. */
  readonly start: number;
}

/** The central directory of a ZIP, as far as a browser reads it. */
export type Directory =
  | { readonly kind: 'read'; readonly records: readonly DirectoryRecord[]; readonly offset: number }
  | { readonly kind: 'broken'; readonly rule: 'truncated' | 'not_a_zip' }
  /** Only the server reads it, for it is Zip64. */
  | { readonly kind: 'unread' };

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const ENTRY_BYTES = 46;
const UTF8_FLAG = 0x800;
/** Stands in a field of 32 bits whose value is elsewhere (APPNOTE.TXT, section 4.5.3). */
const ELSEWHERE = 0xffffffff;
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** Reads the central directory (APPNOTE.TXT, sections 4.3.12 and 4.3.16), so far that a person can be helped with it. */
export async function readDirectory(archive: Blob): Promise<Directory> {
  const from = Math.max(0, archive.size - END_BYTES - LONGEST_COMMENT);
  const tail = new DataView(await archive.slice(from).arrayBuffer());
  const end = findEnd(tail);
  if (end === undefined)
    return { kind: 'broken', rule: (await startsAsZip(archive)) ? 'truncated' : 'not_a_zip' };
  const size = tail.getUint32(end + 12, true);
  const offset = tail.getUint32(end + 16, true);
  if (size === ELSEWHERE || offset === ELSEWHERE) return { kind: 'unread' };
  if (offset + size > archive.size) return { kind: 'broken', rule: 'truncated' };
  const records = recordsOf(await archive.slice(offset, offset + size).arrayBuffer());
  const isZip64 = records.some(({ entry, start }) =>
    [entry.size, entry.compressedSize, start].includes(ELSEWHERE),
  );
  return isZip64 ? { kind: 'unread' } : { kind: 'read', records, offset };
}

/** The listing that the rules are applied to; `undefined` when only the server can tell. */
export function listingOf(directory: Directory): ArchiveListing | undefined {
  if (directory.kind === 'unread') return undefined;
  if (directory.kind === 'broken')
    return { entries: [], problems: [{ rule: directory.rule }], trusted: false };
  return { entries: directory.records.map(({ entry }) => entry), problems: [], trusted: true };
}

function recordsOf(directory: ArrayBuffer): readonly DirectoryRecord[] {
  const view = new DataView(directory);
  const records: DirectoryRecord[] = [];
  for (let at = 0; at + ENTRY_BYTES <= view.byteLength && view.getUint32(at, true) === ENTRY_SIGNATURE; ) {
    const nameBytes = view.getUint16(at + 28, true);
    const end = at + ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (end > view.byteLength) break;
    const bytes = new Uint8Array(directory.slice(at, end));
    records.push({ entry: entryOf(bytes, nameBytes), bytes, start: view.getUint32(at + 42, true) });
    at = end;
  }
  return records;
}

function entryOf(bytes: Uint8Array<ArrayBuffer>, nameBytes: number): ListedEntry {
  const view = new DataView(bytes.buffer);
  const flags = view.getUint16(8, true);
  return {
    name: nameOf(bytes.subarray(ENTRY_BYTES, ENTRY_BYTES + nameBytes), flags),
    host: view.getUint8(5),
    externalAttributes: view.getUint32(38, true),
    flags,
    method: view.getUint16(10, true),
    crc32: view.getUint32(16, true),
    compressedSize: view.getUint32(20, true),
    size: view.getUint32(24, true),
    dataOffset: 0,
  };
}

/** Names are UTF-8 where they are marked so or can be, else code page 437 (APPNOTE.TXT, appendix D). */
function nameOf(bytes: Uint8Array, flags: number): string {
  const fatal = (flags & UTF8_FLAG) === 0;
  try {
    return new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError)
      return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : CP437[byte - 0x80])).join(
        '',
      );
    throw error;
  }
}

function findEnd(tail: DataView): number | undefined {
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) === END_SIGNATURE) return at;
  }
  return undefined;
}

async function startsAsZip(archive: Blob): Promise<boolean> {
  const head = new Uint8Array(await archive.slice(0, 4).arrayBuffer());
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}
