import type { BadEncoding } from '@pinfold/core';
import { uint32 } from './byte-source.ts';
import type { CentralHeader } from './entry-headers.ts';
import { type ExtraField, UNICODE_PATH } from './extra-fields.ts';

const UTF8_FLAG = 0x0800;
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const REPLACEMENT = '\ufffd';
const PERCENT = 0x25;
const DIGITS = new TextEncoder().encode('0123456789ABCDEF');
/** ASCII bytes that can be the second byte of a character in some encoding: digits, `@` to `~`. */
const MAY_BE_SECOND = Uint8Array.from({ length: 0x80 }, (_, byte) =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x40 && byte <= 0x7e) ? 1 : 0,
);

/** A name, decoded if its entry declares the encoding. */
export interface EntryName {
  /** Decoded as UTF-8; any other name as {@link escapedName} writes it. */
  readonly name: string;
  /** Whether it is not ASCII, and neither a flag nor a field declares its encoding. */
  readonly isUnmarked: boolean;
  readonly isUtf8: boolean;
  /** Why the name is not reliable. */
  readonly badEncoding: BadEncoding | undefined;
}

/** The names of an archive's entries, in the directory's order. */
export interface EntryNames {
  readonly names: readonly EntryName[];
  /** Entries with names in an unknown encoding: the unmarked ones, unless all of them are UTF-8. */
  readonly unknown: readonly number[];
}

/**
 * Reads names by flag bit 11 and the Unicode Path field (APPNOTE.TXT, appendix D and section 4.6.9).
 * @param localFields the extra fields of the local headers, as far as they were read.
 */
export function entryNames(
  headers: readonly CentralHeader[],
  localFields: readonly (readonly ExtraField[] | undefined)[] = [],
): EntryNames {
  const names = headers.map((header, index) => entryName(header, localFields[index] ?? []));
  const isUtf8 = names.every((name) => name.isUtf8 || !name.isUnmarked);
  const unknown = isUtf8 ? [] : names.flatMap(({ isUnmarked }, index) => (isUnmarked ? [index] : []));
  for (const index of unknown) {
    const name = names[index] as EntryName;
    names[index] = { ...name, name: escapedName((headers[index] as CentralHeader).rawName) };
  }
  return { names, unknown };
}

function entryName({ rawName, flags, fields }: CentralHeader, localFields: readonly ExtraField[]): EntryName {
  const text = utf8Text(rawName);
  const name = text ?? escapedName(rawName);
  const own = { name, isUtf8: text !== undefined, isUnmarked: false };
  const field = unicodePath(rawName, [...fields, ...localFields]);
  if ((flags & UTF8_FLAG) !== 0) {
    return {
      ...own,
      badEncoding: text === undefined ? 'not_utf8' : (field.problem ?? compareNames(field, text)),
    };
  }
  if (field.problem !== undefined) return { ...own, badEncoding: field.problem };
  if (field.text === undefined)
    return { ...own, isUnmarked: text?.length !== rawName.length, badEncoding: undefined };
  // Most readers ignore fields of local headers, so these must not change the name.
  if (fields.every(({ id }) => id !== UNICODE_PATH))
    return { ...own, badEncoding: compareNames(field, text) };
  return { name: field.text, isUtf8: true, isUnmarked: false, badEncoding: undefined };
}

function compareNames(field: PathField, name: string | undefined): BadEncoding | undefined {
  return field.text === undefined || field.text === name ? undefined : 'field_name_differs';
}

interface PathField {
  /** Absent where there is no such field. */
  readonly text?: string;
  readonly problem?: BadEncoding;
}

/** The one name that all Unicode Path fields of an entry have. */
function unicodePath(raw: Uint8Array, fields: readonly ExtraField[]): PathField {
  let found: PathField = {};
  for (const { id, data, whole } of fields) {
    if (id !== UNICODE_PATH) continue;
    if (!whole || data.length < 5 || data[0] !== 1) return { problem: 'field_unreadable' };
    if (uint32(data, 1) !== crc32(raw)) return { problem: 'field_crc_mismatch' };
    const text = utf8Text(data.subarray(5));
    if (text === undefined) return { problem: 'field_not_utf8' };
    const problem = compareNames(found, text);
    if (problem !== undefined) return { problem };
    found = { text };
  }
  return found;
}

/**
 * Writes a name in an unknown encoding, with percent escapes for all bytes that may be part of a non-ASCII character. In no
 * encoding can these be a slash, a dot or a colon, so the rules for paths stay right.
 */
export function escapedName(raw: Uint8Array): string {
  // Writes bytes: adding to a string one character at a time would take ten times as long.
  const text = new Uint8Array(raw.length * 3);
  let length = 0;
  let isAfterLead = false;
  for (const byte of raw) {
    const isPart = byte >= 0x80 || (isAfterLead && MAY_BE_SECOND[byte] === 1) || byte === PERCENT;
    isAfterLead = byte >= 0x80;
    text[length] = isPart ? PERCENT : byte;
    length += 1;
    if (!isPart) continue;
    text[length] = DIGITS[byte >> 4] as number;
    text[length + 1] = DIGITS[byte & 0xf] as number;
    length += 2;
  }
  return UTF8.decode(text.subarray(0, length));
}

/** Does not use a fatal decoder, whose exception takes as long as decoding a thousand names. */
function utf8Text(bytes: Uint8Array): string | undefined {
  const text = UTF8.decode(bytes);
  if (!text.includes(REPLACEMENT)) return text;
  const again = new TextEncoder().encode(text);
  const isSame = again.length === bytes.length && again.every((byte, at) => byte === bytes[at]);
  return isSame ? text : undefined;
}

/** CRC-32 of a name (APPNOTE.TXT, section 4.4.7), which browsers do not offer. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb8_8320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
