import type { NoDetails, RuleDetails } from '../refusal.ts';
import { orderProblems } from './archive-rules.ts';
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

/** A reference of a page, and where it leads in its site. */
export interface FollowedReference {
  /** The attribute's value as a URL parser takes it. */
  readonly target: string;
  /** Whether the reference begins with `/`. */
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
  /** Nothing in the archive tells the encoding of its names. `path` is the first of them. */
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
  readonly absolute_reference: AtPath & { readonly target: string };
  /** The site has more text and references than are looked through. */
  readonly not_all_checked: NoDetails;
}

type FileRule = 'source_map' | 'service_worker' | 'unused_server_file';

/** Something allowed that will disappoint viewers. */
export type Warning = RuleDetails<WarningRules>;

/** A warning as an older version stored it with its role: in words. */
export interface WordedWarning {
  readonly rule: keyof WarningRules;
  readonly detail: string;
  readonly path?: string;
}

/** A warning as it is stored with a role. */
export type KeptWarning = Warning | WordedWarning;

/** A file of the site with what was seen in it. */
export interface ObservedFile {
  readonly path: string;
  readonly references: readonly FollowedReference[];
  readonly secrets: readonly SecretKind[];
  /** Whether a script in it registers a service worker; absent where none does. */
  readonly serviceWorker?: true;
  /** Whether all of it was looked through. */
  readonly whole: boolean;
}

/** How the names of an archive were read of which nothing tells the encoding. */
export interface ReadNames {
  readonly encoding: NameEncoding;
  /** The first of them. */
  readonly path: string;
  /** Whether all pages were compared with the names. */
  readonly whole: boolean;
}

/** At the root of a site these configure other servers. */
const SERVER_FILES = new Set(['_redirects', '_headers', 'vercel.json', '.htaccess']);

/** The most warnings an answer carries. */
export const MOST_WARNINGS = 20;

/**
 * Judges what was seen. One warning of each rule comes before the second of any, so that no rule hides another:
 * secrets first, then guessed names, references, source maps, service workers and settings for other servers, and in the end whether
 * there may be more.
 *
 * @param absolutePathsWork false where sites live under a path (path mode), where `/x` leads out of them.
 * @param names absent where no name had to be guessed.
 */
export function warningsOf(
  files: readonly ObservedFile[],
  absolutePathsWork: boolean,
  names?: ReadNames,
): readonly Warning[] {
  const secrets = files.flatMap(({ path, secrets: kinds }) =>
    (kinds.length === 0 && isSecretPath(path) ? (['secret_file'] as const) : kinds).map(
      (secret): Warning => ({ rule: 'possible_secret', path, secret }),
    ),
  );
  const references = files.flatMap(({ path, references: made }) =>
    made.flatMap((reference) => referenceWarning(path, reference, absolutePathsWork) ?? []),
  );
  const aboutFiles = (rule: FileRule, isMeant: (file: ObservedFile) => boolean): readonly Warning[] =>
    files.filter(isMeant).map(({ path }) => ({ rule, path }));
  const maps = aboutFiles('source_map', ({ path }) => path.endsWith('.map'));
  const workers = aboutFiles('service_worker', ({ serviceWorker }) => serviceWorker === true);
  const unused = aboutFiles('unused_server_file', ({ path }) => SERVER_FILES.has(path));
  const isWhole = names?.whole !== false && files.every(({ whole }) => whole);
  const rest: readonly Warning[] = isWhole ? [] : [{ rule: 'not_all_checked' }];
  const decoded = names === undefined ? [] : [nameWarning(names)];
  const all = [...secrets, ...decoded, ...references, ...maps, ...workers, ...unused, ...rest];
  return orderProblems(all).slice(0, MOST_WARNINGS);
}

function nameWarning({ path, encoding }: ReadNames): Warning {
  return { rule: 'names_decoded', path, encoding };
}

function referenceWarning(
  path: string,
  reference: FollowedReference,
  absolutePathsWork: boolean,
): Warning | undefined {
  const target = cut(reference.target);
  if (reference.absolute && !absolutePathsWork) return { rule: 'absolute_reference', path, target };
  if (reference.otherCase !== undefined) {
    return { rule: 'case_mismatch', path, target, file: cut(reference.otherCase) };
  }
  return reference.answered ? undefined : { rule: 'broken_reference', path, target };
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
