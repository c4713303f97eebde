/** Longer values are data URLs rather than paths. */
const MAX_TARGET_LENGTH = 2_048;
/** Matches values with space or character references, which differ from their target. */
const NEEDS_DECODING = /[\s&]/;
const CHARACTERS = /&(?:#(\d{1,7}|x[\da-f]{1,6})|(amp|quot|apos|lt|gt));?/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };
/** HTML reads the numeric references 128 to 159 as windows-1252. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
/** A path with a named character reference other than these five: HTML has 2,231, so its characters are unknown here. */
const UNKNOWN_CHARACTER = /^(?:[^?#&]|&#|&(?!#))*?&(?!(?:amp|quot|apos|lt|gt)\b)[a-z][a-z\d]/i;

/**
 * Converts a value as a URL parser does: removes space around it, tabs and line ends. Returns an empty text if it is too
 * long for a path, or has an unknown character reference.
 */
export function targetOf(value: string): string {
  if (value.length > MAX_TARGET_LENGTH) return '';
  if (!NEEDS_DECODING.test(value)) return value;
  return UNKNOWN_CHARACTER.test(value) ? '' : withoutSpace(decodeCharacters(value));
}

/** The same for a value in CSS or a script, which have no character references. */
export function plainTargetOf(value: string): string {
  return value.length > MAX_TARGET_LENGTH ? '' : withoutSpace(value);
}

function withoutSpace(value: string): string {
  return value.replaceAll(/[\t\n\f\r]/g, '').trim();
}

/** Resolves character references as far as URLs and styles need it. */
export function decodeCharacters(value: string): string {
  return value.includes('&') ? value.replaceAll(CHARACTERS, characterOf) : value;
}

function characterOf(whole: string, digits: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
  // The leading 0 makes `x1f` the hexadecimal `0x1f`, and does not change decimal numbers.
  const code = Number(`0${digits}`);
  return WINDOWS_1252[code - 128] ?? (code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole);
}

/** A candidate of a `srcset`: its URL, and its descriptors up to the next comma. */
const CANDIDATE = /[\s,]*([^\s,]\S*)(?:\s[^,(]*(?:\([^)]{0,99}\)[^,(]*)*)?/y;

/** The URLs of a `srcset` (HTML, "parse a srcset attribute"), unconverted. */
export function* candidatesOf(srcset: string): Generator<string> {
  for (let at = 0; ; ) {
    CANDIDATE.lastIndex = at;
    const match = CANDIDATE.exec(srcset);
    if (match?.[1] === undefined) return;
    const url = match[1];
    const trimmed = withoutCommas(url);
    yield trimmed;
    // A comma at the end of a URL, without a space before it, separates it from the next.
    at = trimmed === url ? CANDIDATE.lastIndex : match.index + match[0].indexOf(url) + url.length;
  }
}

/** Removes commas from the end. A regular expression would take quadratic time for a run of commas. */
function withoutCommas(url: string): string {
  let end = url.length;
  while (url[end - 1] === ',') end -= 1;
  return url.slice(0, end);
}

const REFRESH = /^\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|([^"'].*))/is;

/** The URL of `<meta http-equiv="refresh">`; `undefined` if it has none. */
export function refreshTarget(content: string): string | undefined {
  const [, double, single, bare] = REFRESH.exec(content) ?? [];
  return double ?? single ?? bare;
}
