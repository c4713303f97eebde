import { withoutIconEnd } from './entry-path.ts';

/**
 * The encodings beside UTF-8 in which archivers write names without marking them: code pages of Windows in East Asia, of
 * Windows and MS-DOS elsewhere. If several fit equally well, the first is chosen.
 */
export const NAME_ENCODINGS = [
  'CP932',
  'GB18030',
  'Big5',
  'CP949',
  'windows-1251',
  'CP866',
  'windows-1252',
  'CP850',
  'CP437',
] as const;

/** An encoding of unmarked names. */
export type NameEncoding = (typeof NAME_ENCODINGS)[number];

/** An encoding in which all unmarked names of an archive are plausible ({@link isPlausibleName}). */
export interface NameReading {
  readonly encoding: NameEncoding;
  /** Whether a name that is not ASCII has a backslash, which may be the second byte of a character in another encoding. */
  readonly backslash: boolean;
  /** The number of references in the pages that lead to files with these names. */
  readonly found: number;
}

/** The declarations of an archive's first page. */
export interface PageLabels {
  /** Its encoding, from `<meta charset>`. */
  readonly charset?: string | undefined;
  /** The `lang` of its `<html>`. */
  readonly lang?: string | undefined;
}

/** Characters that no name has: controls, private and unassigned characters, and U+FFFD, which replaces invalid bytes. */
const IMPLAUSIBLE = /[\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd]/u;

/** Labels from the Encoding Standard and from IANA, in lower case and without punctuation. */
const CHARSETS: readonly (readonly [label: RegExp, encoding: NameEncoding])[] = [
  [/^(?:x?sjis|(?:cs)?shiftjis|mskanji|(?:cs)?windows31j|(?:cp|ms|windows)932)$/, 'CP932'],
  [/^(?:gb18030|x?gbk|(?:cs)?gb2312(?:80)?|chinese|(?:cp|ms|windows)936)$/, 'GB18030'],
  [/^(?:(?:cn|cs|xx)?big5(?:hkscs)?|(?:cp|ms|windows)950)$/, 'Big5'],
  [/^(?:(?:cs)?euckr|(?:cs)?ksc5601(?:19(?:87|89))?|korean|(?:cp|ms|windows)949)$/, 'CP949'],
  [/^(?:windows|x?cp)1251$/, 'windows-1251'],
  [/^(?:cs|cp)?(?:ibm)?866$/, 'CP866'],
  [/^(?:(?:windows|x?cp)1252|iso88591|(?:iso)?latin1|l1|(?:us)?ascii)$/, 'windows-1252'],
  [/^(?:cp|ibm)850$/, 'CP850'],
  [/^(?:cp|ibm)437$/, 'CP437'],
];

const LANGUAGES: readonly (readonly [lang: RegExp, encoding: NameEncoding])[] = [
  [/^ja\b/i, 'CP932'],
  [/^zh\b.*-(?:hant|tw|hk)\b/i, 'Big5'],
  [/^zh\b/i, 'GB18030'],
  [/^ko\b/i, 'CP949'],
  [/^(?:ru|uk|be|bg)\b/i, 'CP866'],
];

/** Whether a decoded name has only characters of names: otherwise its encoding was another one. */
export function isPlausibleName(name: string): boolean {
  return !IMPLAUSIBLE.test(withoutIconEnd(name));
}

/**
 * Chooses the encoding of an archive's unmarked names: the one in which most references lead to a file. If several are
 * equal, the charset of the first page decides, then its language, then their order.
 *
 * @param readings the possible ones, in the order of {@link NAME_ENCODINGS}.
 */
export function chooseNameEncoding(
  readings: readonly NameReading[],
  { charset = '', lang = '' }: PageLabels,
): NameEncoding {
  const most = Math.max(0, ...readings.map(({ found }) => found));
  const tied = readings.filter(({ found }) => found === most).map(({ encoding }) => encoding);
  const hints = [encodingOfCharset(charset), entryFor(LANGUAGES, lang)];
  const hinted = hints.find((hint) => hint !== undefined && tied.includes(hint));
  return hinted ?? (most > 0 ? tied[0] : undefined) ?? likelyCodePage(readings);
}

/** The encoding that a page's label stands for, if it is one of {@link NAME_ENCODINGS}. */
export function encodingOfCharset(charset: string): NameEncoding | undefined {
  return entryFor(CHARSETS, charset.toLowerCase().replaceAll(/[^a-z\d]/g, ''));
}

/** Prefers code page 437, the default of APPNOTE.TXT (appendix D), unless a backslash suggests another encoding. */
function likelyCodePage(readings: readonly NameReading[]): NameEncoding {
  const likely = readings.filter(({ backslash }) => !backslash);
  return likely.some(({ encoding }) => encoding === 'CP437') ? 'CP437' : (likely[0]?.encoding ?? 'CP437');
}

function entryFor(
  table: readonly (readonly [form: RegExp, encoding: NameEncoding])[],
  text: string,
): NameEncoding | undefined {
  return table.find(([form]) => form.test(text))?.[1];
}
