import type { ArchiveListing, ArchiveRule, ListedEntry } from '@pinfold/core';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const ENTRY_BYTES = 46;
const UTF8_FLAG = 0x800;
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/**
 * Reads the central directory of a ZIP (APPNOTE.TXT, section 4.3.12) as far as a person can be helped with it.
 * `undefined` for what only the server reads, Zip64 for one: it alone decides.
 */
export async function readListing(archive: Blob): Promise<ArchiveListing | undefined> {
  const tail = new DataView(
    await archive.slice(Math.max(0, archive.size - END_BYTES - LONGEST_COMMENT)).arrayBuffer(),
  );
  const end = findEnd(tail);
  if (end === undefined) return broken((await startsAsZip(archive)) ? 'truncated' : 'not_a_zip');
  const size = tail.getUint32(end + 12, true);
  const offset = tail.getUint32(end + 16, true);
  if (size === 0xffffffff || offset === 0xffffffff) return undefined;
  if (offset + size > archive.size) return broken('truncated');
  return {
    entries: entriesOf(new DataView(await archive.slice(offset, offset + size).arrayBuffer())),
    problems: [],
    trusted: true,
  };
}

function entriesOf(directory: DataView): readonly ListedEntry[] {
  const entries: ListedEntry[] = [];
  for (
    let at = 0;
    at + ENTRY_BYTES <= directory.byteLength && directory.getUint32(at, true) === ENTRY_SIGNATURE;
  ) {
    const nameBytes = directory.getUint16(at + 28, true);
    const rest = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    if (at + ENTRY_BYTES + nameBytes + rest > directory.byteLength) break;
    const flags = directory.getUint16(at + 8, true);
    entries.push({
      name: nameOf(new Uint8Array(directory.buffer, at + ENTRY_BYTES, nameBytes), flags),
      host: directory.getUint8(at + 5),
      externalAttributes: directory.getUint32(at + 38, true),
      flags,
      method: directory.getUint16(at + 10, true),
      crc32: directory.getUint32(at + 16, true),
      compressedSize: directory.getUint32(at + 20, true),
      size: directory.getUint32(at + 24, true),
      dataOffset: 0,
    });
    at += ENTRY_BYTES + nameBytes + rest;
  }
  return entries;
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

function broken(rule: ArchiveRule): ArchiveListing {
  return { entries: [], problems: [{ rule, detail: '' }], trusted: false };
}
