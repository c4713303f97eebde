import type { NoDetails, RuleDetails } from '../refusal.ts';
import { type GuessedNames, orderProblems } from './archive-rules.ts';
import type { NameEncoding } from './name-encoding.ts';
import { isSecretPath } from './secret-files.ts';

/** The kind of a secret in a file. */
export type SecretKind =
  | 'private_key'
  | 'aws_access_key'
  | 'github_token'
  | 'gitlab_token'
  | 'slack_token'
  | 'stripe_secret_key'
  | 'anthropic_api_key'
  | 'openai_api_key'
  | 'npm_token'
  | 'pinfold_api_key'
  /** By its name, or a `.pem` that holds more than certificates and public keys. */
  | 'secret_file';

/** What a site in path mode does not have, because its pages have no origin of their own. */
export type OriginNeed =
  /** `localStorage`, `sessionStorage`, IndexedDB and cookies. */
  | 'storage'
  | 'worker'
  | 'track'
  /** `<use>` of an element in another file. */
  | 'external_use'
  | 'embedded_pdf';

/** The tool that made a site, as far as its pages show it. */
export type SiteTool =
  | 'angular'
  | 'astro'
  | 'blazor'
  | 'create_react_app'
  | 'docusaurus'
  | 'eleventy'
  | 'flutter'
  | 'gatsby'
  | 'hexo'
  | 'hugo'
  | 'jekyll'
  | 'next'
  | 'nuxt'
  | 'sveltekit'
  | 'vite'
  | 'vitepress';

/** A reference of a page, and where it leads in its site. */
export interface FollowedReference {
  /** The attribute's value as a URL parser takes it. */
  readonly target: string;
  /** Whether the reference begins with `/`, or goes above the root: in path mode it leads out of the site then. */
  readonly absolute: boolean;
  /** Whether the site answers it, even if only with the start page of an app. */
  readonly answered: boolean;
  /** The file that would be there if upper and lower case were the same. */
  readonly otherCase: string | undefined;
}

interface AtPath {
  readonly path: string;
}

/** The rules of warnings, each with its details. */
export interface WarningRules {
  /** The name showed a protected publication, and the new one has no password. */
  readonly password_dropped: NoDetails;
  readonly names_nearly_full: { readonly used: number; readonly most: number };
  /** The encoding of the names is not marked in the archive. `path` is the first of them. */
  readonly names_decoded: AtPath & { readonly encoding: NameEncoding };
  /** The reference differs from that file of the site in upper and lower case only. */
  readonly case_mismatch: AtPath & { readonly target: string; readonly file: string };
  readonly broken_reference: AtPath & { readonly target: string };
  readonly source_map: AtPath;
  readonly possible_secret: AtPath & { readonly secret: SecretKind };
  /** A script registers a service worker, which no site may have. */
  readonly service_worker: AtPath;
  /** Settings for another server, which are not read here and can be read by every viewer. */
  readonly unused_server_file: AtPath;
  /** In path mode, the reference leads out of the site. */
  readonly absolute_reference: AtPath & { readonly target: string; readonly tool?: SiteTool };
  /** In path mode, the file may need what only a site with an origin of its own has; the first file of each need. */
  readonly needs_origin: AtPath & { readonly need: OriginNeed };
  /** The page embeds another site's, which asks for a Referer and gets none. */
  readonly needs_referrer: AtPath & { readonly target: string };
  /** The site has more text and references than are searched. */
  readonly not_all_checked: NoDetails;
}

/** A finding that does not stop a publication: viewers may miss something, or see too much. */
export type Warning = RuleDetails<WarningRules>;

/** A file of the site, and the findings in it. */
export interface ObservedFile {
  readonly path: string;
  readonly references: readonly FollowedReference[];
  readonly secrets: readonly SecretKind[];
  /** Whether a script in it registers a service worker; absent where none does. */
  readonly serviceWorker?: true;
  /** What it uses and path mode does not have; absent where there is nothing. */
  readonly originNeeds?: readonly OriginNeed[];
  /** The addresses of embeds that ask for a Referer and get none; absent where there are none. */
  readonly withoutReferrer?: readonly string[];
  /** The tool that made the page, where it shows. */
  readonly tool?: SiteTool;
  /**
   * Paths of scripts that it loads as modules; absent where there are none. References of a script count only if a page
   * loads it as a module, by itself or by another one: sources for builders refer to files in other ways.
   */
  readonly modules?: readonly string[];
  /** Whether all of it was searched. */
  readonly whole: boolean;
}

/** How names in an unmarked encoding were decoded. */
export interface DecodedNames extends Pick<GuessedNames, 'encoding' | 'whole'> {
  /** The first of them. */
  readonly path: string;
}

const SCRIPT = /\.[cm]?js$/i;

/** At the root of a site these configure other servers. */
const SERVER_FILES = new Set(['_redirects', '_headers', 'vercel.json', '.htaccess']);

/** The most warnings an answer carries. */
export const MAX_WARNINGS = 20;

/**
 * Makes warnings of findings. One warning of each rule comes before the second of any, so that no rule hides another. The
 * order is: secrets, guessed names, references, source maps, workers, embeds, needs of an origin, settings for other
 * servers, and at the end whether there may be more.
 *
 * @param absolutePathsWork false where sites live under a path (path mode), where `/x` leads out of them, and pages have
 * no origin of their own.
 * @param names absent where no name had to be guessed.
 */
export function warningsOf(
  files: readonly ObservedFile[],
  absolutePathsWork: boolean,
  names?: DecodedNames,
): readonly Warning[] {
  const secrets = files.flatMap(({ path, secrets: kinds }) =>
    (kinds.length === 0 && isSecretPath(path) ? (['secret_file'] as const) : kinds).map(
      (secret): Warning => ({ rule: 'possible_secret', path, secret }),
    ),
  );
  const loaded = loadedModules(files);
  const tool = files.find((file) => file.tool !== undefined)?.tool;
  const references = files.flatMap(({ path, references: made }) =>
    SCRIPT.test(path) && !loaded.has(path)
      ? []
      : made.flatMap((reference) => referenceWarning(path, reference, absolutePathsWork, tool) ?? []),
  );
  const aboutFiles = (
    rule: 'source_map' | 'service_worker' | 'unused_server_file',
    isMeant: (file: ObservedFile) => boolean,
  ): readonly Warning[] => files.filter(isMeant).map(({ path }) => ({ rule, path }));
  const maps = aboutFiles('source_map', ({ path }) => path.endsWith('.map'));
  const workers = aboutFiles('service_worker', ({ serviceWorker }) => serviceWorker === true);
  const embeds = files.flatMap(({ path, withoutReferrer = [] }) =>
    withoutReferrer.map((target): Warning => ({ rule: 'needs_referrer', path, target: cut(target) })),
  );
  const needs = absolutePathsWork ? [] : originWarnings(files);
  const unused = aboutFiles('unused_server_file', ({ path }) => SERVER_FILES.has(path));
  const isWhole = names?.whole !== false && files.every(({ whole }) => whole);
  const incomplete: readonly Warning[] = isWhole ? [] : [{ rule: 'not_all_checked' }];
  const decoded: readonly Warning[] =
    names === undefined ? [] : [{ rule: 'names_decoded', path: names.path, encoding: names.encoding }];
  const all = [
    ...secrets,
    ...decoded,
    ...references,
    ...maps,
    ...workers,
    ...embeds,
    ...needs,
    ...unused,
    ...incomplete,
  ];
  return orderProblems(all).slice(0, MAX_WARNINGS);
}

/** The scripts that pages load as modules, and those that these import. */
function loadedModules(files: readonly ObservedFile[]): ReadonlySet<string> {
  const loaded = new Set(
    files.flatMap(({ path, modules }) => (modules === undefined || SCRIPT.test(path) ? [] : modules)),
  );
  if (loaded.size === 0) return loaded;
  const byPath = new Map(files.map((file) => [file.path, file]));
  // Members that are added meanwhile are visited, too.
  for (const path of loaded) for (const further of byPath.get(path)?.modules ?? []) loaded.add(further);
  return loaded;
}

/** One for each need: the first file that has it. */
function originWarnings(files: readonly ObservedFile[]): readonly Warning[] {
  const firsts = new Map<OriginNeed, string>();
  for (const { path, originNeeds = [] } of files) {
    for (const need of originNeeds) if (!firsts.has(need)) firsts.set(need, path);
  }
  return [...firsts].map(([need, path]) => ({ rule: 'needs_origin', path, need }));
}

function referenceWarning(
  path: string,
  reference: FollowedReference,
  absolutePathsWork: boolean,
  tool: SiteTool | undefined,
): Warning | undefined {
  const target = cut(reference.target);
  if (reference.absolute && !absolutePathsWork) {
    return { rule: 'absolute_reference', path, target, ...(tool !== undefined && { tool }) };
  }
  if (reference.otherCase !== undefined) {
    return { rule: 'case_mismatch', path, target, file: cut(reference.otherCase) };
  }
  return reference.answered ? undefined : { rule: 'broken_reference', path, target };
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
