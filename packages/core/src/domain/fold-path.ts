const ASCII = /^[\0-\x7f]*$/;
const DOTLESS_I = 'ı';

/** By UTF-16 unit the one it folds to, and 1 more, so that 0 is what has not been asked for yet. */
let known: Uint32Array | undefined;

/**
 * The form in which two paths are the same to a file system that ignores case: NFC, then simple case folding, to upper
 * case and then to lower (Unicode, section 5.18). Each character is folded by itself: beside others, ß becomes SS, and
 * sigma has a form of its own at the end of a word.
 */
export function foldPath(path: string): string {
  return ASCII.test(path) ? path.toLowerCase() : foldEach(path.normalize('NFC'));
}

/** From a cache: folding a character again takes ten times as long. */
function foldEach(text: string): string {
  known ??= new Uint32Array(0x1_00_00);
  let folded = '';
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Half of a surrogate pair: what they are together is not remembered.
    if ((unit & 0xf8_00) === 0xd8_00) {
      const character = String.fromCodePoint(text.codePointAt(at) as number);
      folded += foldCharacter(character);
      at += character.length - 1;
      continue;
    }
    known[unit] ||= foldCharacter(String.fromCharCode(unit)).charCodeAt(0) + 1;
    folded += String.fromCharCode((known[unit] as number) - 1);
  }
  return folded;
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
