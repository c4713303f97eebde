import { isUtf8 } from 'node:buffer';
import type { NameEncoding } from '@pinfold/core';
import { encodingOfCharset } from '@pinfold/core/adapter';
import iconv from 'iconv-lite';

/** The bytes of a line end are part of no character in any of the encodings of names. */
const BETWEEN = Buffer.from('\n');

/** Decodes names together: one call for each takes several times as long. */
export function decodeNames(names: readonly Uint8Array[], encoding: NameEncoding): readonly string[] {
  const bytes = Buffer.concat(names.flatMap((name) => [name, BETWEEN]));
  const decoded = decode(bytes, encoding).split('\n');
  decoded.pop();
  // Names with line ends, and bytes that swallow one: what these give is refused.
  return decoded.length === names.length ? decoded : names.map((name) => decode(name, encoding));
}

/** Decodes a page by the label of its encoding; as UTF-8 if it has none that is known. */
export function decodePage(bytes: Uint8Array, charset: string | undefined): string {
  return decode(bytes, encodingNamed(charset));
}

/** A reference as text: percent escapes that are not UTF-8 are bytes in the encoding of its page. */
export function decodeReference(target: string, charset: string | undefined): string {
  if (!/%[89a-f]/i.test(target) || /[^\0-\x7f]/.test(target)) return target;
  const bytes = Buffer.from(
    target.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number(`0x${digits}`))),
    'latin1',
  );
  return isUtf8(bytes) || bytes.includes(0x25) ? target : decode(bytes, encodingNamed(charset));
}

function encodingNamed(charset: string | undefined): string {
  if (charset === undefined || /^(?:unicode|utf)/i.test(charset)) return 'utf8';
  const known = encodingOfCharset(charset);
  return known ?? (iconv.encodingExists(charset) ? charset : 'utf8');
}

function decode(bytes: Uint8Array, encoding: string): string {
  return iconv.decode(bytes, encoding, { stripBOM: false });
}
