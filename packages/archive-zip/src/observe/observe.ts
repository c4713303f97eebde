import type { SecretKind } from '@pinfold/core';
import { secretOfFile } from '@pinfold/core/adapter';
import { type Tag, tagsOf } from './html-tags.ts';
import { secretsIn } from './secrets.ts';
import { isPage, registersServiceWorker } from './service-workers.ts';

/** A reference to another file that a page makes. */
export interface Reference {
  /** The attribute's value, with character references resolved as far as URLs need it. */
  readonly target: string;
  /** Whether following it is a navigation (a link), rather than loading a part of the page. */
  readonly navigation: boolean;
}

/** The findings in one file of a site. */
export interface Observation {
  readonly references: readonly Reference[];
  /** The kinds of secret that the file seems to contain; never the secret itself. */
  readonly secrets: readonly SecretKind[];
  /** Whether a script in it registers a service worker; absent where none does. */
  readonly serviceWorker?: true;
  /** Whether all of the file was searched. */
  readonly whole: boolean;
}

/** How much work a search of one file may take. */
export interface ObservationBounds {
  /** Characters compared to read and to follow references, as {@link costOf} counts. */
  readonly work: number;
  /** Called now and then; throws to end the search. */
  readonly look?: () => void;
}

/** Bytes decoded at once: V8 collects longer texts late, and takes longer to search them. */
const STRETCH = 65_536;
/** Read around a stretch: more than the longest secret, and than the longest registration of a service worker. */
const AROUND = 256;
const NOTHING: Observation = { references: [], secrets: [], whole: true };
const BOUNDLESS: ObservationBounds = { work: Number.POSITIVE_INFINITY };
/** Cost of a tag without a new reference, in characters. */
const TAG_COST = 8;
/** Cost of reading, looking up and judging a reference, in characters, without its own. */
const REFERENCE_COST = 48;
/** A slash in any form: the reference may lead into another folder. */
const SLASH = /[\\/%]/;
const FOLDERS = /^.*[\\/%]/s;
/** Tags between two calls of `look`. */
const LOOK_EVERY = 256;
/** Longer values carry data. */
const LONGEST_TARGET = 2_048;
/** Files without text, and files such as source maps that are warned of by their name. */
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
/** The `rel` of links that a browser loads with the page; other links lead to pages. */
const LOADED =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|manifest)(?:\s|$)/i;
/** Space and character references: the value is not the target as it stands. */
const NEEDS_DECODING = /[\s&]/;
const CHARACTERS = /&(?:#(\d{1,7}|x[\da-f]{1,6})|(amp|quot|apos|lt|gt));?/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

/** Whether {@link observe} searches a file of that path for more than whether it is a private key. */
export function isObservable(path: string): boolean {
  return !OPAQUE.test(path);
}

/**
 * Searches a file's text for references (in HTML), for secrets, and for scripts that register a service worker. It takes
 * linear time, and ends where references cost more work than the bounds allow: equal texts and bounds give equal results.
 *
 * @example
 * import { observe } from '@pinfold/archive-zip/observe';
 *
 * const { references } = observe('index.html', '<img src="logo.png">');
 * references.length; // 1
 */
export function observe(path: string, text: string, bounds: ObservationBounds = BOUNDLESS): Observation {
  if (!isObservable(path)) return { ...NOTHING, ...withSecretOf(path, text, []) };
  const found = isPage(path) ? referencesIn(path, text, bounds) : NOTHING;
  return {
    ...found,
    ...withSecretOf(path, text, secretsIn(text)),
    ...(registersServiceWorker(path, text) && { serviceWorker: true }),
  };
}

/** Does the same for the bytes of a file that is no page, in any encoding that has ASCII. */
export function observeBytes(path: string, bytes: Buffer): Observation {
  if (!isObservable(path)) return { ...NOTHING, ...withSecretOf(path, bytes, []) };
  const secrets = new Set<SecretKind>();
  let registers = false;
  for (let at = 0; at < bytes.length; at += STRETCH) {
    const from = Math.max(0, at - AROUND);
    const text = bytes.toString('latin1', from, at + STRETCH + AROUND);
    for (const kind of secretsIn(text, at - from, at - from + STRETCH)) secrets.add(kind);
    registers ||= registersServiceWorker(path, text);
  }
  return { ...NOTHING, ...withSecretOf(path, bytes, secrets), ...(registers && { serviceWorker: true }) };
}

function withSecretOf(
  path: string,
  content: string | Buffer,
  found: Iterable<SecretKind>,
): Pick<Observation, 'secrets'> {
  const secrets = new Set(found);
  const secret = secretOfFile(path, (characters) =>
    typeof content === 'string' ? content.slice(0, characters) : content.toString('latin1', 0, characters),
  );
  if (secret === 'private_key' || (secret !== undefined && secrets.size === 0)) secrets.add(secret);
  return { secrets: [...secrets] };
}

/** None for a page with a base element: its references lead elsewhere. */
function referencesIn(
  page: string,
  html: string,
  { work, look }: ObservationBounds,
): Pick<Observation, 'references' | 'whole'> {
  const references: Reference[] = [];
  const seen = new Set<string>();
  const folders = new Set<string>();
  let left = work;
  let tags = 0;
  for (const tag of tagsOf(html, REFERRING)) {
    if (tag.name === 'base' && tag.href !== undefined) return NOTHING;
    tags += 1;
    if (tags % LOOK_EVERY === 0) look?.();
    for (const value of [tag.href, tag.src]) {
      if (value === undefined) continue;
      const target = seen.has(value) ? '' : targetOf(value);
      left -= target === '' ? TAG_COST : costOf(page, target, folders);
      if (left < 0) return { references, whole: false };
      seen.add(value);
      if (target !== '') references.push({ target, navigation: isNavigation(tag) });
    }
  }
  return { references, whole: true };
}

/** The first reference into a folder costs twice the length of its page's path, too: it may lead to a page of that name. */
function costOf(page: string, target: string, known: Set<string>): number {
  const cost = REFERENCE_COST + target.length;
  const folders = SLASH.test(target) ? FOLDERS.exec(target)?.[0] : undefined;
  if (folders === undefined || known.has(folders)) return cost;
  known.add(folders);
  return cost + 2 * page.length;
}

function isNavigation({ name, rel = '' }: Tag): boolean {
  return name === 'link' ? !LOADED.test(rel) : LINKS.has(name);
}

/** The value as a URL parser takes it: without space around it, tabs and line ends. Empty if it is too long for a path. */
function targetOf(value: string): string {
  if (value.length > LONGEST_TARGET) return '';
  if (!NEEDS_DECODING.test(value)) return value;
  return value
    .replaceAll(/[\t\n\r]/g, '')
    .trim()
    .replaceAll(CHARACTERS, characterOf);
}

function characterOf(whole: string, digits: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
  // The 0 changes no decimal number, and makes x1f the hexadecimal 0x1f.
  const code = Number(`0${digits}`);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}
