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

/** Space, comments and directives before and between imports. */
const BETWEEN_IMPORTS =
  /(?:[\s;\uFEFF]+|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|#![^\n]*|(["'])use [a-z]+\1(?=\s*[;\n]))/y;
/** An import or export from another module; not if it has names in quotes. */
const DECLARATION =
  /(?:import(?![\w$.(])|export(?=\s*[*{]))(?:[^"'`;()=]{0,8192}?[\s}*]from)?\s{0,99}(["'])([^"'\\\n]{1,2048})\1(?:\s{0,99}(?:with|assert)\s{0,99}\{[^}]{0,999}\})?/y;
/** Skipped first: otherwise the search for the name of a module would run on after each of many local exports. */
const LOCAL_EXPORT_BEFORE_ANOTHER = /export\s{0,99}\{[^{}"']{0,8192}\}(?=[\s;]{0,99}(?:import|export)\b)/y;
const LOCAL_EXPORT = /export\s{0,99}\{[^{}"']{0,8192}\}/y;
/** Import maps resolve other names, which are not URLs. */
const URL_LIKE = /^\.{0,2}\//;

/**
 * The URLs that a module imports statically before its other code, where builders and people write imports. Later, a text
 * that looks like an import may be in a string.
 */
export function importsOf(script: string): readonly string[] {
  const targets: string[] = [];
  let at = 0;
  const matchNext = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(script);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    if (matchNext(BETWEEN_IMPORTS) !== null || matchNext(LOCAL_EXPORT_BEFORE_ANOTHER) !== null) continue;
    const target = matchNext(DECLARATION)?.[2];
    if (target === undefined && matchNext(LOCAL_EXPORT) === null) return targets;
    if (target !== undefined && URL_LIKE.test(target)) targets.push(target);
  }
}

const MANIFEST = /(?:^|\/)(?:[^/]*\.webmanifest|manifest\.json)$/i;
/** Larger files are not manifests. */
const MAX_CHARACTERS = 262_144;

export function isWebAppManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/**
 * The URLs of a web app manifest (W3C, Web Application Manifest), and whether they open as pages; none for invalid JSON.
 */
export function webAppManifestUrls(
  text: string,
): readonly { readonly url: string; readonly navigation: boolean }[] {
  if (text.length > MAX_CHARACTERS) return [];
  const manifest = parseMembers(text);
  const shortcuts = listOf(manifest.shortcuts);
  const images = [manifest, ...shortcuts].flatMap(({ icons, screenshots }) => [
    ...listOf(icons),
    ...listOf(screenshots),
  ]);
  const pages = [
    manifest.start_url,
    ...shortcuts.map(({ url }) => url),
    ...listOf([manifest.share_target]).map(({ action }) => action),
    ...listOf(manifest.file_handlers).map(({ action }) => action),
  ];
  return [
    ...images.flatMap(({ src }) => (typeof src === 'string' ? [{ url: src, navigation: false }] : [])),
    ...pages.flatMap((url) => (typeof url === 'string' ? [{ url, navigation: true }] : [])),
  ];
}

type Members = Readonly<Record<string, unknown>>;

/** None if the text is not JSON, or not an object. */
function parseMembers(text: string): Members {
  try {
    return listOf([JSON.parse(text.replace(/^\u{feff}/u, ''))])[0] ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The objects of a list; none if it is not a list. */
function listOf(value: unknown): readonly Members[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Members => typeof item === 'object' && item !== null);
}
