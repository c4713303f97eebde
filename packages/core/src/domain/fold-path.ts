const ASCII = /^[\0-\x7f]*$/;
const DOTLESS_I = 'ı';
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
/** Characters that are made to a text at once, as arguments of a call. */
const PIECE = 4_096;

/** By UTF-16 unit what it folds to, one more than that so that 0 is what has not been asked for. */
let folded: Uint32Array | undefined;

/**
 * The form in which two paths are the same to a file system that knows no case: NFC, then simple case folding by what
 * the language has, upper case and then lower (Unicode, section 5.18).
 */
export function foldPath(path: string): string {
  if (ASCII.test(path)) return path.toLowerCase();
  const composed = path.normalize('NFC');
  const upper = composed.toUpperCase();
  const lower = upper.toLowerCase();
  // Where a letter becomes several, as ß would become ss, each has to be looked at by itself.
  const longer = upper.length !== composed.length || lower.length !== upper.length;
  if (longer || composed.includes(DOTLESS_I)) return foldEach(composed);
  // At the end of a word the language makes another letter of the same.
  return lower.replaceAll('ς', 'σ');
}

/** A table knows what each character was folded to before: asking the language takes ten times as long. */
function foldEach(text: string): string {
  folded ??= new Uint32Array(0x1_00_00);
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE) {
      const character = String.fromCodePoint(text.codePointAt(at) as number);
      const mapped = foldCharacter(character);
      units[at] = mapped.charCodeAt(0);
      if (character.length === 2) units[++at] = mapped.charCodeAt(1);
      continue;
    }
    const known = folded[unit] as number;
    units[at] = known === 0 ? learn(folded, unit) : known - 1;
  }
  return textOf(units);
}

function learn(table: Uint32Array, unit: number): number {
  const mapped = foldCharacter(String.fromCharCode(unit)).charCodeAt(0);
  table[unit] = mapped + 1;
  return mapped;
}

/** Both mappings only where they give one character. Dotless i folds to itself: only Turkish makes it an i. */
function foldCharacter(character: string): string {
  if (character === DOTLESS_I) return character;
  const upper = single(character.toUpperCase(), character);
  return single(upper.toLowerCase(), upper);
}

/** No character of one unit has a mapping of two, or the other way about. */
function single(mapped: string, original: string): string {
  return mapped.length === original.length ? mapped : original;
}

function textOf(units: Uint16Array): string {
  let text = '';
  for (let from = 0; from < units.length; from += PIECE) {
    // Spread into arguments, a typed array would be walked as any iterable is.
    text += String.fromCharCode.apply(null, units.subarray(from, from + PIECE) as unknown as number[]);
  }
  return text;
}
