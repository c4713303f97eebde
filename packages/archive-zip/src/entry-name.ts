import type { BadEncoding } from '@pinfold/core';
import { uint32 } from './byte-source.ts';
import { type ExtraField, UNICODE_PATH } from './extra-fields.ts';

/** The upper half of IBM code page 437, the encoding of names without flag bit 11 (APPNOTE.TXT, appendix D). */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ' +
  'áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const UTF8_FLAG = 0x0800;
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const REPLACEMENT = '\ufffd';

/** A name decoded; `wrong` says why it cannot be relied on. */
export interface DecodedName {
  readonly name: string;
  readonly wrong?: BadEncoding;
}

/** Decodes a name: UTF-8 when flag bit 11 says so or the bytes are valid UTF-8, else code page 437. */
export function decodeName(raw: Uint8Array, flags: number): DecodedName {
  const text = utf8Text(raw);
  if (text !== undefined) return { name: text };
  const name = decodeCp437(raw);
  if ((flags & UTF8_FLAG) === 0) return { name };
  return { name, wrong: 'not_utf8' };
}

/** Why the Unicode Path fields of a header do not agree with its name, or `undefined`. */
export function unicodePathProblem(
  raw: Uint8Array,
  name: string,
  fields: readonly ExtraField[],
): BadEncoding | undefined {
  for (const { id, data, whole } of fields) {
    if (id !== UNICODE_PATH) continue;
    if (!whole || data.length < 5 || data[0] !== 1) return 'field_unreadable';
    if (uint32(data, 1) !== crc32(raw)) return 'field_of_other_name';
    const text = utf8Text(data.subarray(5));
    if (text === undefined) return 'field_not_utf8';
    if (text !== name) return 'field_with_other_name';
  }
  return undefined;
}

/** Uses no fatal decoder: for a name that is not UTF-8, its exception costs as much as decoding a thousand names. */
function utf8Text(bytes: Uint8Array): string | undefined {
  const text = UTF8.decode(bytes);
  if (!text.includes(REPLACEMENT)) return text;
  const again = new TextEncoder().encode(text);
  const isSame = again.length === bytes.length && again.every((byte, at) => byte === bytes[at]);
  return isSame ? text : undefined;
}

/** CRC-32 of a name (APPNOTE.TXT, section 4.4.7). Browsers have none. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb8_8320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

/** Decodes bytes as code page 437. Its lower half is ASCII; control characters stay what they are. */
export function decodeCp437(bytes: Uint8Array): string {
  // A string that grows by one character at a time is a tree, which takes many times the memory and time.
  const utf16 = new DataView(new ArrayBuffer(bytes.length * 2));
  for (const [index, byte] of bytes.entries()) {
    utf16.setUint16(index * 2, byte < 0x80 ? byte : UPPER_HALF.charCodeAt(byte - 0x80), true);
  }
  return new TextDecoder('utf-16le').decode(utf16);
}
