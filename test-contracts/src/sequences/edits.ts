import fc from 'fast-check';

const ASCII = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code + 1));

/** Signs that somewhere between a caller and a table are dropped, folded, escaped, split at or replaced. */
export const SIGNS: readonly string[] = [
  ...ASCII.filter((sign) => !/[a-z0-9]/i.test(sign)),
  ...'aAkKsSiIfF019',
  // Letters that are another one by case, width or compatibility.
  ...'\u212a\u017f\u0131\u0130\u00df\u1e9e\u03c3\u03c2\u03a3\u00b5\u03bc\ufb01\u00aa\u00b2\u0661\uff11\uff41\u0430\u00e9\u00c9',
  // Invisible characters.
  ...'\u0080\u0085\u00a0\u00ad\u034f\u061c\u180e\u200b\u200d\u200e\u202e\u2028\u2029\u2060\u3000\ufe0f\ufeff',
  // Combining characters, and the ends of planes.
  ...'\u0300\u0301\u0327\u05b0\u3099\ud7ff\ue000\ufdd0\ufffd\ufffe\uffff',
  ...['\u{10000}', '\u{1f600}', '\u{1f601}', '\u{1f3fb}', '\u{e0001}', '\u{10ffff}'],
];

/** The results of one edit of a text at a position; `tail` is the text from there on. */
const EDITS: readonly ((head: string, tail: string, sign: string) => string)[] = [
  (head, tail, sign) => `${head}${sign}${tail}`,
  (head, tail, sign) => `${head}${sign}${tail}`,
  (head, tail, sign) => `${head}${sign}${rest(tail)}`,
  (head, tail) => `${head}${rest(tail)}`,
  (head, tail) => `${head}${first(tail)}${tail}`,
  (head, tail) => `${head}${first(rest(tail))}${first(tail)}${rest(rest(tail))}`,
  (head, tail) =>
    `${head}${first(tail) === first(tail).toLowerCase() ? first(tail).toUpperCase() : first(tail).toLowerCase()}${rest(tail)}`,
  (head) => head,
  (_, tail) => tail,
  (head, tail, sign) => `${head}${tail}${sign}`,
  (head, tail, sign) => `${sign}${head}${tail}`,
];

function first(text: string): string {
  return [...text][0] ?? '';
}

function rest(text: string): string {
  return text.slice(first(text).length);
}

export function edited(text: string): fc.Arbitrary<string> {
  const letters = [...text];
  return fc
    .tuple(fc.nat({ max: letters.length }), fc.constantFrom(...EDITS), fc.constantFrom(...SIGNS))
    .map(([at, edit, sign]) => edit(letters.slice(0, at).join(''), letters.slice(at).join(''), sign));
}

/** A text, and others that are one edit away from it. */
export function editedTexts(text: string): fc.Arbitrary<string[]> {
  return fc.uniqueArray(edited(text), { minLength: 2, maxLength: 4 }).map((others) => [text, ...others]);
}
