import { isAscii, isUtf8 } from 'node:buffer';
import type { NameEncoding } from '@pinfold/core';
import { encodingOfCharset } from '@pinfold/core/adapter';
import iconv from 'iconv-lite';

const ESCAPE = 0x1b;
/** The escape sequences by which ISO-2022-JP changes its character set begin with these bytes. */
const ESCAPE_SEQUENCES = [Buffer.from('\x1b$'), Buffer.from('\x1b(')];

/** Whether bytes are UTF-8, but not ISO-2022-JP, which is also valid UTF-8 but has escape sequences. */
export function isUtf8Text(bytes: Buffer): boolean {
  return isUtf8(bytes) && !(hasEscapeSequence(bytes) && isAscii(bytes));
}

function hasEscapeSequence(bytes: Buffer): boolean {
  return bytes.includes(ESCAPE) && ESCAPE_SEQUENCES.some((sequence) => bytes.includes(sequence));
}

/** {@link isUtf8Text} for a text in pieces. */
export class Utf8Check {
  #utf8: boolean = true;
  // ISO-2022-JP is ASCII: any other character rules it out.
  #ascii: boolean = true;
  #hasEscapeSequence: boolean = false;
  #incomplete: Buffer = Buffer.alloc(0);

  add(piece: Buffer): void {
    if (!this.#utf8) return;
    const bytes = this.#incomplete.length === 0 ? piece : Buffer.concat([this.#incomplete, piece]);
    const end = bytes.length - incompleteBytes(bytes);
    const whole = bytes.subarray(0, end);
    this.#utf8 = isUtf8(whole);
    this.#ascii &&= isAscii(whole);
    this.#hasEscapeSequence ||= this.#ascii && hasEscapeSequence(whole);
    this.#incomplete = Buffer.from(bytes.subarray(end));
  }

  /** Whether all pieces together are UTF-8, with no incomplete character at the end. */
  get valid(): boolean {
    const isWhole = this.#incomplete.length === 0 || this.#incomplete[0] === ESCAPE;
    return this.#utf8 && isWhole && !(this.#hasEscapeSequence && this.#ascii);
  }
}

/** How many bytes at the end belong to an incomplete character, or to an incomplete escape sequence of ISO-2022-JP. */
function incompleteBytes(bytes: Buffer): number {
  if (bytes.at(-1) === ESCAPE) return 1;
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < characterBytes(byte) ? back : 0;
  }
  return 0;
}

function characterBytes(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

const LITTLE_ENDIAN = 0xfeff;
const BIG_ENDIAN = 0xfffe;

/** Decodes bytes with a byte order mark of UTF-16, as editors and shells of Windows write them; else `undefined`. */
export function utf16Text(bytes: Buffer): string | undefined {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16LE(0);
  if (mark === LITTLE_ENDIAN) return bytes.toString('utf16le', 2);
  if (mark !== BIG_ENDIAN) return undefined;
  const whole = bytes.length - (bytes.length % 2);
  return Buffer.from(bytes.subarray(2, whole)).swap16().toString('utf16le');
}

/** In no encoding is this byte a part of another character. */
const LINE_FEED = Buffer.from('\n');

/** Decodes names together, since a call for each would take several times as long. */
export function decodeNames(names: readonly Uint8Array[], encoding: NameEncoding): readonly string[] {
  const bytes = Buffer.concat(names.flatMap((name) => [name, LINE_FEED]));
  const decoded = decode(bytes, encoding).split('\n');
  decoded.pop();
  // A name contains a line end, or an incomplete character that consumed one. Such names are refused later.
  return decoded.length === names.length ? decoded : names.map((name) => decode(name, encoding));
}

/** Decodes a page by the label of its encoding; as UTF-8 if that is missing or unknown. */
export function decodePage(bytes: Uint8Array, charset: string | undefined): string {
  return decode(bytes, encodingNamed(charset));
}

/** Decodes a reference. Percent escapes that are not UTF-8 are in the encoding of its page. */
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
