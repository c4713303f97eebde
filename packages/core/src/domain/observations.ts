import { type Tag, tagsOf } from './html-tags.ts';
import { secretsIn } from './secrets.ts';

/** A reference to another file that a page makes. */
export interface Reference {
  /** The attribute's value, character references resolved as far as URLs need it. */
  readonly target: string;
  /** Whether following it is a navigation (a link), rather than loading a part of the page. */
  readonly navigation: boolean;
}

/** What was seen in one file of a site. */
export interface Observation {
  readonly references: readonly Reference[];
  /** The kinds of secret that the file seems to hold, by name; never the secret. */
  readonly secrets: readonly string[];
}

const NOTHING: Observation = { references: [], secrets: [] };
/** Of one page; no person writes as many. */
const MOST_REFERENCES = 2_000;
/** Longer ones carry data. */
const LONGEST_TARGET = 2_048;
const HTML = /\.html?$/i;
/** Neither text nor, as source maps, anything that has no warning of its own. */
const OPAQUE =
  /\.(?:png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|m4a|webm|ogg|wasm|pdf|zip|gz|br|map)$/i;

const LINKS = new Set(['a', 'area', 'iframe', 'frame']);
const PARTS = new Set([
  'script',
  'img',
  'source',
  'video',
  'audio',
  'track',
  'embed',
  'input',
  'image',
  'use',
]);
const REFERRING = new Set([...LINKS, ...PARTS, 'link', 'base']);
/** The `rel` of links that a browser loads with the page; all others name pages. */
const LOADED =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|manifest)(?:\s|$)/i;
const CHARACTERS = /&(?:#(\d{1,7}|x[\da-f]{1,6})|(amp|quot|apos|lt|gt));?/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

/** Whether {@link observe} can see anything in a file of that path, so that others need not be decoded. */
export function isObservable(path: string): boolean {
  return !OPAQUE.test(path);
}

/** Looks through a file's text, in linear time, for references (in HTML) and for what seems a secret. */
export function observe(path: string, text: string): Observation {
  if (!isObservable(path)) return NOTHING;
  const secrets = secretsIn(text);
  const references = HTML.test(path) ? referencesIn(text) : [];
  return { references, secrets };
}

/** A page with a base element says itself that its references lead elsewhere: nothing is judged then. */
function referencesIn(html: string): readonly Reference[] {
  const references: Reference[] = [];
  const seen = new Set<string>();
  for (const tag of tagsOf(html, REFERRING)) {
    if (tag.name === 'base' && tag.href !== undefined) return [];
    for (const value of [tag.href, tag.src]) {
      if (value === undefined || seen.has(value)) continue;
      seen.add(value);
      const target = targetOf(value);
      if (target !== '') references.push({ target, navigation: isNavigation(tag) });
    }
    if (references.length >= MOST_REFERENCES) break;
  }
  return references;
}

function isNavigation({ name, rel = '' }: Tag): boolean {
  return name === 'link' ? !LOADED.test(rel) : LINKS.has(name);
}

/** As a URL parser takes it, without space around it, tabs and line ends; empty when it is too long to be a path. */
function targetOf(value: string): string {
  if (value.length > LONGEST_TARGET) return '';
  return value
    .replaceAll(/[\t\n\r]/g, '')
    .trim()
    .replaceAll(CHARACTERS, characterOf);
}

function characterOf(whole: string, digits: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
  // In front of decimal digits the 0 means nothing; in front of an x it makes the number a hexadecimal one.
  const code = Number(`0${digits}`);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}
