/** Matches the beginning of a URL, or of a comment or string that may hide one. Bounds spaces, to take linear time. */
const TOKEN = /\/\*|["']|(?<![\w-])url\(\s{0,99}["']?|@import(?:\s|\/\*[^*]{0,99}\*\/){0,9}["']/gi;
/** Matches the declaration of a custom property, up to a URL in its value. */
const CUSTOM_PROPERTY = /^\s*--[\w-]+\s*:/;
/** Characters before a URL that are searched for the beginning of its declaration. */
const MAX_DECLARATION = 256;
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|\r\n|([\s\S]))/gi;

/**
 * The URLs of `url()` and `@import` in a style sheet or a `style` attribute (CSS Syntax Module Level 3), in linear time.
 * Omits custom properties, whose URLs are relative to the style sheet that uses them.
 */
export function* urlsOf(css: string): Generator<string> {
  for (let at = 0; ; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(css);
    if (match === null) return;
    const [token] = match;
    at = match.index + token.length;
    if (token === '/*') {
      const end = css.indexOf('*/', at);
      if (end === -1) return;
      at = end + 2;
      continue;
    }
    const quote = /["']$/.exec(token)?.[0];
    const end = quote === undefined ? endOfUrl(css, at) : endOfString(css, at, quote);
    const isUrl = token.length > 1 && end.isValid && !isCustom(css, match.index);
    if (isUrl) yield unescapeCss(css.slice(at, end.at));
    at = end.at + 1;
  }
}

/** Whether a URL is in the value of a custom property. */
function isCustom(css: string, at: number): boolean {
  const before = css.slice(Math.max(0, at - MAX_DECLARATION), at);
  return CUSTOM_PROPERTY.test(before.slice(Math.max(before.lastIndexOf(';'), before.lastIndexOf('{')) + 1));
}

interface End {
  readonly at: number;
  /** Whether the URL or string is closed, and valid in CSS. */
  readonly isValid: boolean;
}

function endOfString(css: string, from: number, quote: string): End {
  for (let at = from; at < css.length; at += 1) {
    const character = css[at];
    if (character === quote) return { at, isValid: true };
    if (character === '\\') at += 1;
    else if (character === '\n') return { at, isValid: false };
  }
  return { at: css.length, isValid: false };
}

function endOfUrl(css: string, from: number): End {
  const end = css.indexOf(')', from);
  if (end === -1) return { at: css.length, isValid: false };
  return { at: end, isValid: !/["'(]|\\$/.test(css.slice(from, end)) };
}

function unescapeCss(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(ESCAPE, (_whole, digits: string | undefined, character: string | undefined) => {
    if (digits === undefined) return character === '\n' ? '' : (character ?? '');
    const code = Number.parseInt(digits, 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\u{fffd}';
  });
}
