import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { BadEncoding } from '@pinfold/core';
import { decodeCp437 } from './cp437.ts';
import { type ExtraField, UNICODE_PATH } from './extra-fields.ts';

const UTF8_FLAG = 0x0800;

/** A name decoded; `wrong` says why it cannot be relied on. */
export interface DecodedName {
  readonly name: string;
  readonly wrong?: BadEncoding;
}

/** Decodes a name: UTF-8 when flag bit 11 says so or the bytes are valid UTF-8, else code page 437. */
export function decodeName(raw: Buffer, flags: number): DecodedName {
  if (isUtf8(raw)) return { name: raw.toString('utf8') };
  const name = decodeCp437(raw);
  if ((flags & UTF8_FLAG) === 0) return { name };
  return { name, wrong: 'not_utf8' };
}

/** Why the Unicode Path fields of a header do not agree with its name, or `undefined`. */
export function unicodePathProblem(
  raw: Buffer,
  name: string,
  fields: readonly ExtraField[],
): BadEncoding | undefined {
  for (const { id, data, whole } of fields) {
    if (id !== UNICODE_PATH) continue;
    if (!whole || data.length < 5 || data[0] !== 1) return 'field_unreadable';
    if (data.readUInt32LE(1) !== crc32(raw)) return 'field_of_other_name';
    const text = data.subarray(5);
    if (!isUtf8(text)) return 'field_not_utf8';
    if (text.toString('utf8') !== name) return 'field_with_other_name';
  }
  return undefined;
}
