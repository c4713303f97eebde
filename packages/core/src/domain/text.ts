import type { LimitAndActual, NoDetails, Refusal, RuleDetails } from '../refusal.ts';
import type { Branded } from './identity.ts';
import type { Limits } from './limits.ts';

const CONTROL = /\p{Cc}/u;
/** More combining marks in a row than any language uses (UAX #15, Stream-Safe Text Format), counted only from the first. */
const MANY_MARKS = /\p{M}(?<!\p{M}{2})\p{M}{30}/u;

/** Length in Unicode code points, which every limit in characters counts. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Length in bytes of UTF-8; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0;
  // An archive may have megabytes of names, and an iterator would make a string of each character.
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    // The two halves of a surrogate pair are four bytes together.
    const isPair = (code & 0xfc_00) === 0xd8_00 && (text.charCodeAt(at + 1) & 0xfc_00) === 0xdc_00;
    if (isPair) bytes -= 2;
  }
  return bytes;
}

/** Whether the string has a lone surrogate, or U+FFFD, by which a decoder replaces invalid bytes. */
export function hasBrokenCharacter(text: string): boolean {
  return !text.isWellFormed() || text.includes('\ufffd');
}

/** Whether a text has so many combining marks in a row that normalizing it, which sorts them, takes quadratic time. */
export function hasManyMarks(text: string): boolean {
  return MANY_MARKS.test(text);
}

/** Normalizes a text to NFC; leaves it as it is if it has {@link hasManyMarks}. */
export function toNfc(text: string): string {
  return hasManyMarks(text) ? text : text.normalize('NFC');
}

/** Whether the string has a control character: C0, DEL or C1. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text);
}

/** A text that every database and export can store: without NUL and halves of surrogate pairs. */
export const STORABLE: RegExp = /^[^\0\p{Cs}]*$/u;

/**
 * Returns a text that people or programs of an embedding team chose freely.
 *
 * @throws TypeError for a text that some databases cannot store, and for what is no text.
 */
export function expectStorable<Text extends string | null>(text: Text, name: string): Text {
  if (text === null || (typeof text === 'string' && STORABLE.test(text))) return text;
  throw new TypeError(`${name} is a text without NUL and without half a surrogate pair`);
}

/** Folds titles and file names for search: NFKC and lower case, so that width and case do not matter. */
export function foldForSearch(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Turns `camelCase` into `snake_case`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const OPERATOR_PATTERN: string = '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$';

/** The rules for a reason or a message of the operator, as members of a JSON Schema. */
export const OPERATOR_TEXT: { readonly minLength: 1; readonly maxLength: 255; readonly pattern: string } = {
  minLength: 1,
  maxLength: 255,
  pattern: OPERATOR_PATTERN,
};

const TEXT: RegExp = /* @__PURE__ */ new RegExp(OPERATOR_PATTERN, 'u');

/** Whether a value is a valid reason or message: 1 to 255 characters, not only blanks, and no control character. */
export function isOperatorText(value: unknown): value is string {
  return typeof value === 'string' && TEXT.test(value) && [...value].length <= OPERATOR_TEXT.maxLength;
}

/** @throws TypeError for an invalid reason. */
export function expectReason(reason: string): void {
  if (!isOperatorText(reason)) throw new TypeError('a reason has 1 to 255 characters, no control characters');
}

/** A management title: not empty, within the limit, without control characters. */
export type Title = Branded<string, 'Title'>;

/** The rules of a title. `type`: neither a string nor null; `encoding`: not valid Unicode. */
export interface TitleRules {
  readonly type: NoDetails;
  readonly encoding: NoDetails;
  readonly control_character: NoDetails;
  readonly too_long: LimitAndActual;
}

/** Reads a title; the empty string and null both mean none. */
export function parseTitle(
  value: unknown,
  limits: Pick<Limits, 'titleCharacters'>,
): Title | null | Refusal<'invalid_title'> {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') return invalid({ rule: 'type' });
  if (hasBrokenCharacter(value)) return invalid({ rule: 'encoding' });
  if (hasControlCharacter(value)) return invalid({ rule: 'control_character' });
  const actual = codePoints(value);
  const limit = limits.titleCharacters;
  return actual > limit ? invalid({ rule: 'too_long', limit, actual }) : (value as Title);
}

function invalid(details: RuleDetails<TitleRules>): Refusal<'invalid_title'> {
  return { kind: 'refused', code: 'invalid_title', ...details };
}
