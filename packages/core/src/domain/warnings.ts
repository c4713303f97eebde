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
  /** A file that has the name of one with secrets, or a `.pem` that holds more than certificates and public keys. */
  | 'secret_file';

/** A browser feature that sites in path mode lack, because their pages have no origin of their own. */
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

/** A reference of a page, and whether its site has the target. */
export interface FollowedReference {
  /** The attribute's value, as a URL parser reads it. */
  readonly target: string;
  /** Whether the reference begins with `/` or goes above the root, and so leads out of a site in path mode. */
  readonly absolute: boolean;
  /** Whether the site answers it, even if only with the start page of an app. */
  readonly answered: boolean;
  /** The file whose path differs from the reference only in upper and lower case. */
  readonly otherCase: string | undefined;
  /** The path, such as `/repository/`, without which the reference leads to a file: the site was probably built to live there. */
  readonly basePath?: string;
}

interface AtPath {
  readonly path: string;
}

/** The rules of warnings, each with its details. */
export interface WarningRules {
  /** The name showed a protected publication before, and the new one has no password. */
  readonly password_dropped: NoDetails;
  readonly names_nearly_full: { readonly used: number; readonly most: number };
  /** The archive does not mark the encoding of its names. `path` is the first such name. */
  readonly names_decoded: AtPath & { readonly encoding: NameEncoding };
  /** The reference differs from that file of the site in upper and lower case only. */
  readonly case_mismatch: AtPath & { readonly target: string; readonly file: string };
  readonly broken_reference: AtPath & { readonly target: string; readonly basePath?: string };
  readonly source_map: AtPath;
  readonly possible_secret: AtPath & { readonly secret: SecretKind };
  /** A script registers a service worker, which no site can have. */
  readonly service_worker: AtPath;
  /** Settings for another server: Pinfold ignores them, and every viewer can read them. */
  readonly unused_server_file: AtPath;
  /** In path mode, the reference leads out of the site. */
  readonly absolute_reference: AtPath & { readonly target: string; readonly tool?: SiteTool };
  /** In path mode, the file may need a feature that only a site with an origin of its own has; the first file of each need. */
  readonly needs_origin: AtPath & { readonly need: OriginNeed };
  /** The page embeds a page of another site that requires a Referer and gets none. */
  readonly needs_referrer: AtPath & { readonly target: string };
  /** Only a part of the site's text and references was searched. */
  readonly not_all_checked: NoDetails;
}

/** A finding that does not prevent publication: viewers may miss something, or see too much. */
export type Warning = RuleDetails<WarningRules>;

/** A file of the site, and the findings in it. */
export interface ObservedFile {
  readonly path: string;
  readonly references: readonly FollowedReference[];
  readonly secrets: readonly SecretKind[];
  /** Whether a script in it registers a service worker. */
  readonly serviceWorker?: true;
  /** The features it uses that path mode lacks; absent for none. */
  readonly originNeeds?: readonly OriginNeed[];
  /** The addresses of embeds that require a Referer and get none; absent for none. */
  readonly withoutReferrer?: readonly string[];
  /** The tool that made the page, if the page shows it. */
  readonly tool?: SiteTool;
  /**
   * Paths of scripts that it loads as modules; absent for none. References of a script count only if a page loads it as a
   * module, directly or by another module: a bundler resolves those of its sources in other ways.
   */
  readonly modules?: readonly string[];
  /** Whether all of it was searched. */
  readonly whole: boolean;
}

/** How names in an unmarked encoding were decoded. */
export interface DecodedNames extends Pick<GuessedNames, 'encoding' | 'whole'> {
  /** The first such name. */
  readonly path: string;
}

const SCRIPT = /\.[cm]?js$/i;

/** Gatsby's script that registers `/sw.js`, if the plugin that writes that file is installed. */
const GATSBY_APP = /^app-[\da-f]{20}\.js$/;
const GATSBY_SERVICE_WORKER = 'sw.js';
/** Partytown, which Gatsby adds to every site. Pages that use it contain its loader, which is searched, too. */
const GATSBY_PARTYTOWN = '~partytown/';

/** Files that configure other servers, at the root of a site. */
const SERVER_FILES = new Set(['_redirects', '_headers', 'vercel.json', '.htaccess']);

/** The maximum number of warnings in an answer. */
export const MAX_WARNINGS = 20;

/**
 * Turns findings into warnings. The first warning of each rule comes before the second of any, so that no rule hides another.
 *
 * @param absolutePathsWork false in path mode, where `/x` leads out of the site and pages have no origin of their own.
 * @param names absent if no name had to be guessed.
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
  const references = files.flatMap(({ path, references: ofFile }) =>
    SCRIPT.test(path) && !loaded.has(path)
      ? []
      : ofFile.flatMap((reference) => referenceWarning(path, reference, absolutePathsWork, tool) ?? []),
  );
  const aboutFiles = (
    rule: 'source_map' | 'unused_server_file',
    hasFinding: (file: ObservedFile) => boolean,
  ): readonly Warning[] => files.filter(hasFinding).map(({ path }) => ({ rule, path }));
  const maps = aboutFiles('source_map', ({ path }) => path.endsWith('.map'));
  const running = tool === 'gatsby' ? files.filter(({ path }) => !path.startsWith(GATSBY_PARTYTOWN)) : files;
  const workers = serviceWorkerWarnings(running, tool);
  const embeds = files.flatMap(({ path, withoutReferrer = [] }) =>
    withoutReferrer.map((target): Warning => ({ rule: 'needs_referrer', path, target: cut(target) })),
  );
  const needs = absolutePathsWork ? [] : originWarnings(running);
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

/** Finds the scripts that pages load as modules, and those that these import. */
function loadedModules(files: readonly ObservedFile[]): ReadonlySet<string> {
  const loaded = new Set(
    files.flatMap(({ path, modules }) => (modules === undefined || SCRIPT.test(path) ? [] : modules)),
  );
  if (loaded.size === 0) return loaded;
  const byPath = new Map(files.map((file) => [file.path, file]));
  // The loop also visits members that it adds.
  for (const path of loaded) for (const further of byPath.get(path)?.modules ?? []) loaded.add(further);
  return loaded;
}

function serviceWorkerWarnings(
  files: readonly ObservedFile[],
  tool: SiteTool | undefined,
): readonly Warning[] {
  const idle = tool === 'gatsby' && !files.some(({ path }) => path === GATSBY_SERVICE_WORKER);
  return files
    .filter(({ path, serviceWorker }) => serviceWorker === true && !(idle && GATSBY_APP.test(path)))
    .map(({ path }) => ({ rule: 'service_worker', path }));
}

/** Warns once for each need, of the first file that has it. */
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
  if (reference.answered) return undefined;
  // Below a path, no path that a site was built for is right.
  const basePath = absolutePathsWork ? reference.basePath : undefined;
  return {
    rule: 'broken_reference',
    path,
    target,
    ...(basePath !== undefined && { basePath: cut(basePath) }),
  };
}

/** Returns at most 100 characters, with U+FFFD for NUL and lone surrogates, which no record of an export may have. */
function cut(text: string): string {
  const [start = ''] = /^.{0,100}/su.exec(text) ?? [];
  return (start.length < text.length ? `${start}…` : text).replaceAll(/[\0\p{Cs}]/gu, '\ufffd');
}
