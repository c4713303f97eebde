import { foldPath } from './entry-path.ts';
import type { Reference } from './observations.ts';
import { type Resolution, resolve } from './site.ts';

/** Where a reference leads in its site. */
export interface Destination {
  /** Whether the reference begins with `/`. */
  readonly absolute: boolean;
  /** Whether the site has something to show there, if only the start page of an app. */
  readonly answered: boolean;
  /** The file that would be there if upper and lower case were the same. */
  readonly otherCase: string | undefined;
}

const OTHER_SITE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2}|#|\?|$)/i;
/** What a script is to fill in. */
const TEMPLATE = /\{\{|\}\}|<%|\$\{/;

/** The paths of a site's files, to follow references by. */
export class SitePaths {
  readonly #exact: ReadonlyMap<string, string>;
  readonly #folded: ReadonlyMap<string, string>;

  constructor(paths: readonly string[]) {
    this.#exact = new Map(paths.map((path) => [path.normalize('NFC'), path]));
    this.#folded = new Map(paths.map((path) => [foldPath(path), path]));
  }

  get(path: string): string | undefined {
    return this.#exact.get(path.normalize('NFC'));
  }

  /** The file of a path that is the same but for case. */
  getFolded(path: string): string | undefined {
    return this.#folded.get(foldPath(path));
  }
}

/** Finds out where a reference of a page leads, and whether the site answers there; `undefined`: out of the site. */
export function follow(
  site: SitePaths,
  page: string,
  { target, navigation }: Reference,
): Destination | undefined {
  if (OTHER_SITE.test(target) || TEMPLATE.test(target)) return undefined;
  const path = pathOf(page, target);
  if (path === undefined) return undefined;
  const absolute = /^[\\/]/.test(target);
  if (isAnswer(resolve(site, path, false))) return { absolute, answered: true, otherCase: undefined };
  const answered = navigation && isAnswer(resolve(site, path, true));
  const folded = resolve({ get: (name: string) => site.getFolded(name) }, path, false);
  const otherCase = folded.kind === 'file' ? folded.entry : site.getFolded(`${path.slice(1)}/index.html`);
  return { absolute, answered, otherCase };
}

function isAnswer({ kind }: Resolution<string>): boolean {
  return kind === 'file' || kind === 'folder';
}

/**
 * The path a reference leads to, decoded, as the site is asked for it: RFC 3986, section 5.2, for paths alone, and
 * `\` read as `/` as browsers do. `undefined` for what no path can be.
 */
function pathOf(page: string, target: string): string | undefined {
  const path = target.replace(/[?#].*/s, '').replaceAll('\\', '/');
  const folder = page.slice(0, page.lastIndexOf('/') + 1);
  const segments: string[] = [];
  const joined = (path.startsWith('/') ? path : `/${folder}${path}`).split('/').slice(1);
  joined.forEach((segment, index) => {
    const last = index === joined.length - 1;
    if (segment === '..') segments.pop();
    if (segment !== '.' && segment !== '..') segments.push(segment);
    else if (last) segments.push('');
  });
  try {
    return decodeURIComponent(`/${segments.join('/')}`);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
