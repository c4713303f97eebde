import { type Tag, tagsOf } from './html-tags.ts';
import { type SecretKind, secretsIn } from './secrets.ts';
import { registersServiceWorker } from './service-workers.ts';

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
  /** The kinds of secret that the file seems to hold; never the secret. */
  readonly secrets: readonly SecretKind[];
  /** Whether a script in it registers a service worker; absent where none does. */
  readonly serviceWorker?: true;
  /** Whether all of it was looked through, as far as anything can be seen in it. */
  readonly whole: boolean;
}

/** How much may be looked for in one file, and who is asked now and then whether to go on. */
export interface ObservationBounds {
  /** Characters compared to read references and to follow them, as {@link costOf} counts. */
  readonly work: number;
  /** Throws to end it. */
  readonly look?: () => void;
}

const NOTHING: Observation = { references: [], secrets: [], whole: true };
const BOUNDLESS: ObservationBounds = { work: Number.POSITIVE_INFINITY };
/** What a tag costs that names nothing new, in characters. */
const TAG_COST = 8;
/** What a reference costs beside its characters: to be read, looked up some times, and judged. */
const REFERENCE_COST = 48;
/** What may lead into another folder, a slash in any form. */
const SLASH = /[\\/%]/;
const WAY = /^.*[\\/%]/s;
/** Tags between two looks at whether to go on. */
const LOOK_EVERY = 256;
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
/** What a value may have in it that is not part of the target. */
const MEANT_OTHERWISE = /[\s&]/;
const CHARACTERS = /&(?:#(\d{1,7}|x[\da-f]{1,6})|(amp|quot|apos|lt|gt));?/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

/**
 * Whether {@link observe} can see anything in a file of that path, so that others need not be decoded.
 *
 * @example
 * import { isObservable } from '@pinfold/core/observe';
 *
 * isObservable('index.html'); // true
 * isObservable('logo.png'); // false
 */
export function isObservable(path: string): boolean {
  return !OPAQUE.test(path);
}

/**
 * Looks through a file's text, in linear time, for references (in HTML), for what seems a secret, and for scripts that
 * register a service worker. References are read as far as the work they cost is within bounds: the same text with the same bounds shows the same.
 *
 * @example
 * import { observe } from '@pinfold/core/observe';
 *
 * const { references } = observe('index.html', '<img src="logo.png">');
 * references.length; // 1
 */
export function observe(path: string, text: string, bounds: ObservationBounds = BOUNDLESS): Observation {
  if (!isObservable(path)) return NOTHING;
  const secrets = secretsIn(text);
  const found = HTML.test(path) ? referencesIn(path, text, bounds) : NOTHING;
  return { ...found, secrets, ...(registersServiceWorker(path, text) && { serviceWorker: true }) };
}

/** A page with a base element says itself that its references lead elsewhere: nothing is judged then. */
function referencesIn(
  page: string,
  html: string,
  { work, look }: ObservationBounds,
): Pick<Observation, 'references' | 'whole'> {
  const references: Reference[] = [];
  const seen = new Set<string>();
  const ways = new Set<string>();
  let left = work;
  let tags = 0;
  for (const tag of tagsOf(html, REFERRING)) {
    if (tag.name === 'base' && tag.href !== undefined) return NOTHING;
    tags += 1;
    if (tags % LOOK_EVERY === 0) look?.();
    for (const value of [tag.href, tag.src]) {
      if (value === undefined) continue;
      const target = seen.has(value) ? '' : targetOf(value);
      left -= target === '' ? TAG_COST : costOf(page, target, ways);
      if (left < 0) return { references, whole: false };
      seen.add(value);
      if (target !== '') references.push({ target, navigation: isNavigation(tag) });
    }
  }
  return { references, whole: true };
}

/** The path of its page is only gone through for the first reference by one way, into one folder. */
function costOf(page: string, target: string, ways: Set<string>): number {
  const cost = REFERENCE_COST + target.length;
  const way = SLASH.test(target) ? WAY.exec(target)?.[0] : undefined;
  if (way === undefined || ways.has(way)) return cost;
  ways.add(way);
  return cost + page.length;
}

function isNavigation({ name, rel = '' }: Tag): boolean {
  return name === 'link' ? !LOADED.test(rel) : LINKS.has(name);
}

/** As a URL parser takes it, without space around it, tabs and line ends; empty when it is too long to be a path. */
function targetOf(value: string): string {
  if (value.length > LONGEST_TARGET) return '';
  if (!MEANT_OTHERWISE.test(value)) return value;
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
