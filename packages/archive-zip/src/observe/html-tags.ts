/** The attributes that are references, or change their meaning. */
const ATTRIBUTES = [
  'action',
  'content',
  'crossorigin',
  'data',
  'formaction',
  'href',
  'http-equiv',
  'imagesrcset',
  'name',
  'poster',
  'referrerpolicy',
  'rel',
  'src',
  'srcset',
  'style',
  'type',
  'xlink:href',
] as const;

type Attribute = (typeof ATTRIBUTES)[number];

/** A start tag: its name in lower case, and its attributes of {@link ATTRIBUTES}. */
export type Tag = { readonly name: string } & { [Name in Exclude<Attribute, 'name'>]?: string } & {
  /** The attribute `name`, of `<meta>`. */
  metaName?: string;
  /** The content of a script or a style sheet. */
  text?: string;
  /** The values of its requested event handlers, such as `onclick`. */
  handlers?: string[];
};

/** Elements whose content is text, even if it looks like tags. A template is for scripts to fill in. */
const OPAQUE = new Set(['script', 'style', 'textarea', 'title', 'template', 'xmp', 'noembed', 'noframes']);
const ALL_ATTRIBUTES: ReadonlySet<string> = new Set(ATTRIBUTES);
const STYLE_ONLY: ReadonlySet<string> = new Set(['style']);
const MAX_ATTRIBUTE_LENGTH = Math.max(...ATTRIBUTES.map(({ length }) => length));
const STYLE_LENGTH = 'style'.length;

const QUOTE = 34;
const APOSTROPHE = 39;
const SLASH = 47;
const EQUALS = 61;
const GREATER_THAN = 62;
const LETTER_N = 110;
const LETTER_O = 111;
const HANDLER = /^on[a-z]{1,32}$/i;

/**
 * Yields the start tags of the named elements, and of others with a `style` or a requested handler. Parses as tolerantly as
 * browsers do, in linear time. Omits tags without an end.
 *
 * @param handlers matches the event handlers to read.
 */
export function* tagsOf(html: string, names: ReadonlySet<string>, handlers?: RegExp): Generator<Tag> {
  let at = html.indexOf('<');
  /** Browsers with scripts ignore the elements in a `<noscript>`, such as a `<base>`. */
  let noScriptEnd = 0;
  while (at !== -1) {
    const nameEnd = endOfName(html, at + 1);
    if (nameEnd === at + 1) {
      at = html.indexOf('<', endOfOther(html, at));
      continue;
    }
    const name = html.slice(at + 1, nameEnd).toLowerCase();
    const isNamed = names.has(name);
    const tag: Tag = { name };
    const end = readAttributes(html, nameEnd, tag, isNamed ? ALL_ATTRIBUTES : STYLE_ONLY, handlers);
    if (end === -1) return;
    if (name === 'noscript' && at >= noScriptEnd) noScriptEnd = endOfElement(html, end, name);
    const contentEnd = OPAQUE.has(name) ? endOfElement(html, end, name) : end;
    if (contentEnd > end + 1 && (name === 'script' || name === 'style')) {
      tag.text = html.slice(end + 1, contentEnd);
    }
    const isLeftOut = name === 'base' && at < noScriptEnd;
    const isRead = isNamed || tag.style !== undefined || tag.handlers !== undefined;
    if (isRead && !isLeftOut) yield tag;
    at = html.indexOf('<', contentEnd);
  }
}

/** The end of a tag's name; `from` if no name begins there. */
function endOfName(html: string, from: number): number {
  const lower = html.charCodeAt(from) | 0x20;
  if (!(lower >= 0x61 && lower <= 0x7a)) return from;
  let at = from;
  while (at < html.length && !endsWord(html.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  // In HTML, a vertical tab is not a space.
  return code === 32 || (code >= 9 && code <= 13 && code !== 11);
}

function endsWord(code: number): boolean {
  return code === GREATER_THAN || code === SLASH || isSpace(code);
}

/** The end of a comment, an end tag, a declaration or a plain `<`. */
function endOfOther(html: string, at: number): number {
  // Searches from the second character on, since `<!-->` is a complete comment.
  if (html.startsWith('<!--', at)) return positionAfter(html, '-->', at + 2);
  const next = html[at + 1];
  return next === '!' || next === '/' || next === '?' ? positionAfter(html, '>', at) : at + 1;
}

/** The position after the next mark; without one, the end of the text. */
function positionAfter(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
}

/** Reads attributes up to the `>` and returns its position, or -1 when the text ends before. */
function readAttributes(
  html: string,
  from: number,
  tag: Tag,
  wanted: ReadonlySet<string>,
  handlers: RegExp | undefined,
): number {
  const longest = wanted === ALL_ATTRIBUTES ? MAX_ATTRIBUTE_LENGTH : STYLE_LENGTH;
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === GREATER_THAN) return at;
    if (code === SLASH || isSpace(code)) {
      at += 1;
      continue;
    }
    const nameEnd = endOfAttributeName(html, at);
    const value = valueAfter(html, nameEnd);
    if (value === undefined) return -1;
    if (nameEnd - at <= longest) {
      const name = html.slice(at, nameEnd).toLowerCase();
      if (wanted.has(name)) tag[keyOf(name as Attribute)] ??= html.slice(value.from, value.to);
    }
    if (handlers !== undefined && isHandler(html, at, nameEnd)) {
      const handler = html.slice(value.from, value.to);
      if (handlers.test(handler)) addHandler(tag, handler);
    }
    at = value.end;
  }
  return -1;
}

function addHandler(tag: Tag, handler: string): void {
  tag.handlers ??= [];
  tag.handlers.push(handler);
}

/** Whether the name of an attribute is that of an event handler. */
function isHandler(html: string, from: number, to: number): boolean {
  return (
    (html.charCodeAt(from) | 0x20) === LETTER_O &&
    (html.charCodeAt(from + 1) | 0x20) === LETTER_N &&
    HANDLER.test(html.slice(from, to))
  );
}

function keyOf(attribute: Attribute): Exclude<Attribute, 'name'> | 'metaName' {
  return attribute === 'name' ? 'metaName' : attribute;
}

/** Skips the first character, since browsers read a `=` there as a part of the name. */
function endOfAttributeName(html: string, from: number): number {
  let at = from + 1;
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code === EQUALS || endsWord(code)) break;
  }
  return at;
}

/** The position of an attribute's value, empty without one; `undefined` when the text ends in it. */
function valueAfter(html: string, nameEnd: number): { from: number; to: number; end: number } | undefined {
  const equals = skipSpace(html, nameEnd);
  if (html.charCodeAt(equals) !== EQUALS) return { from: nameEnd, to: nameEnd, end: nameEnd };
  const from = skipSpace(html, equals + 1);
  const quote = html.charCodeAt(from);
  if (quote === QUOTE || quote === APOSTROPHE) {
    const to = html.indexOf(quote === QUOTE ? '"' : "'", from + 1);
    return to === -1 ? undefined : { from: from + 1, to, end: to + 1 };
  }
  let to = from;
  while (to < html.length && html.charCodeAt(to) !== GREATER_THAN && !isSpace(html.charCodeAt(to))) to += 1;
  return { from, to, end: to };
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at += 1;
  return at;
}

/** The beginning of the element's end tag; without one, the end of the text. */
function endOfElement(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    const nameEnd = at + 2 + name.length;
    if (html.slice(at + 2, nameEnd).toLowerCase() === name && endsWord(html.charCodeAt(nameEnd))) return at;
  }
  return html.length;
}

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
