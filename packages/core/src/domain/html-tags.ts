/** A start tag of a page: its name in lower case, its attributes, the first of each name. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Elements whose content is text, whatever it looks like. A template is for scripts to fill in. */
const OPAQUE = new Set(['script', 'style', 'textarea', 'title', 'template', 'xmp', 'noembed', 'noframes']);
const NAME = /[a-z][^\s/>]*/iy;
const ATTRIBUTE_NAME = /[^\s/>=][^\s/>=]*/y;
const BETWEEN = /[\s/]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;

/**
 * The start tags of a page, read as tolerantly as browsers do and in one pass: whatever the text, each character is
 * looked at a few times at most. What is cut off at the end is no tag.
 */
export function* tagsOf(html: string): Generator<Tag> {
  let at = html.indexOf('<');
  while (at !== -1) {
    const name = match(NAME, html, at + 1)?.toLowerCase();
    if (name === undefined) {
      at = html.indexOf('<', endOfOther(html, at));
      continue;
    }
    const attributes = new Map<string, string>();
    const end = readAttributes(html, at + 1 + name.length, attributes);
    if (end === -1) return;
    yield { name, attributes };
    at = html.indexOf('<', OPAQUE.has(name) ? endOfElement(html, end, name) : end);
  }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Where a comment, an end tag, a declaration or a mere `<` ends. */
function endOfOther(html: string, at: number): number {
  if (html.startsWith('<!--', at)) return after(html, '-->', at + 2);
  const next = html[at + 1];
  return next === '!' || next === '/' || next === '?' ? after(html, '>', at) : at + 1;
}

/** The place behind the next such mark; the end of the text when there is none. */
function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
}

/** Reads attributes up to the `>` and answers the place behind it, or -1 when the text ends before. */
function readAttributes(html: string, from: number, attributes: Map<string, string>): number {
  let at = from;
  for (;;) {
    at += match(BETWEEN, html, at)?.length ?? 0;
    if (at >= html.length) return -1;
    if (html[at] === '>') return at + 1;
    // A `=` where a name should begin is, to a browser, the name's first character.
    const name = match(ATTRIBUTE_NAME, html, at) ?? '=';
    at += name.length;
    const equals = match(EQUALS, html, at);
    let value = '';
    if (equals !== undefined) {
      at += equals.length;
      const quote = html[at];
      if (quote === '"' || quote === "'") {
        const end = html.indexOf(quote, at + 1);
        if (end === -1) return -1;
        value = html.slice(at + 1, end);
        at = end + 1;
      } else {
        value = match(UNQUOTED, html, at) ?? '';
        at += value.length;
      }
    }
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, value);
  }
}

/** Where the element's end tag begins; the end of the text when there is none. */
function endOfElement(html: string, from: number, name: string): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return html.length;
}
