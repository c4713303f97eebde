/** What begins or hides a URL in CSS. The number of spaces is bounded, so that every text takes linear time. */
const TOKEN = /\/\*|["']|(?<![\w-])url\(\s{0,99}["']?|@import(?:\s|\/\*[^*]{0,99}\*\/){0,9}["']/gi;
/** The beginning of a declaration of a custom property, up to a URL in its value. */
const CUSTOM_PROPERTY = /^\s*--[\w-]+\s*:/;
/** Characters before a URL in which its declaration is looked for. */
const MAX_DECLARATION = 256;
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|\r\n|([\s\S]))/gi;

/**
 * The URLs of `url()` and `@import` in a style sheet or a `style` attribute (CSS Syntax Module Level 3), in linear time.
 * Leaves out custom properties: their URLs are relative to the style sheet that uses them.
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
    const isUrl = token.length > 1 && end.isWhole && !isCustom(css, match.index);
    if (isUrl) yield unescaped(css.slice(at, end.at));
    at = end.at + 1;
  }
}

/** Whether a URL stands in the value of a custom property. */
function isCustom(css: string, at: number): boolean {
  const before = css.slice(Math.max(0, at - MAX_DECLARATION), at);
  return CUSTOM_PROPERTY.test(before.slice(Math.max(before.lastIndexOf(';'), before.lastIndexOf('{')) + 1));
}

interface End {
  readonly at: number;
  /** Whether it ends as it should. */
  readonly isWhole: boolean;
}

function endOfString(css: string, from: number, quote: string): End {
  for (let at = from; at < css.length; at += 1) {
    const character = css[at];
    if (character === quote) return { at, isWhole: true };
    if (character === '\\') at += 1;
    else if (character === '\n') return { at, isWhole: false };
  }
  return { at: css.length, isWhole: false };
}

function endOfUrl(css: string, from: number): End {
  const end = css.indexOf(')', from);
  if (end === -1) return { at: css.length, isWhole: false };
  return { at: end, isWhole: !/["'(]|\\$/.test(css.slice(from, end)) };
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(ESCAPE, (_whole, digits: string | undefined, character: string | undefined) => {
    if (digits === undefined) return character === '\n' ? '' : (character ?? '');
    const code = Number.parseInt(digits, 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\u{fffd}';
  });
}

const MANIFEST = /(?:^|\/)(?:[^/]*\.webmanifest|manifest\.json)$/i;
/** Larger ones are no manifests. */
const MAX_CHARACTERS = 262_144;

export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/**
 * The URLs of a web app manifest (W3C, Web Application Manifest), and whether they are opened as pages; none where it is
 * no such JSON.
 */
export function manifestUrls(
  text: string,
): readonly { readonly url: string; readonly navigation: boolean }[] {
  if (text.length > MAX_CHARACTERS) return [];
  const manifest = parsed(text);
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

function parsed(text: string): Members {
  try {
    return listOf([JSON.parse(text.replace(/^\u{feff}/u, ''))])[0] ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function listOf(value: unknown): readonly Members[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Members => typeof item === 'object' && item !== null);
}

/** Space, comments and directives, which may stand before and between imports. */
const BETWEEN_IMPORTS =
  /(?:[\s;\uFEFF]+|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|#![^\n]*|(["'])use [a-z]+\1(?=\s*[;\n]))/y;
/** A declaration that names another module; names in quotes are left out. */
const DECLARATION =
  /(?:import(?![\w$.(])|export(?=\s*[*{]))(?:[^"'`;()=]{0,8192}?[\s}*]from)?\s{0,99}(["'])([^"'\\\n]{1,2048})\1(?:\s{0,99}(?:with|assert)\s{0,99}\{[^}]{0,999}\})?/y;
const LOCAL_EXPORT = /export\s{0,99}\{[^{}"']{0,8192}\}/y;
/** Others are names for import maps, which browsers do not resolve as URLs. */
const URL_LIKE = /^\.{0,2}\//;

/**
 * The URLs that a module imports statically, as long as its imports stand before its other code, as builders and people
 * write them. After that, a text that looks like an import may stand in a string.
 */
export function importsOf(script: string): readonly string[] {
  const targets: string[] = [];
  let at = 0;
  const takes = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    const match = form.exec(script);
    if (match !== null) at = form.lastIndex;
    return match;
  };
  for (;;) {
    if (takes(BETWEEN_IMPORTS) !== null) continue;
    const target = takes(DECLARATION)?.[2];
    if (target === undefined && takes(LOCAL_EXPORT) === null) return targets;
    if (target !== undefined && URL_LIKE.test(target)) targets.push(target);
  }
}
