import type { OriginNeed, SecretKind, SiteTool } from '@pinfold/core';
import { secretOfFile } from '@pinfold/core/adapter';
import { importsOf, isWebAppManifest, webAppManifestUrls } from './file-urls.ts';
import { plainTargetOf } from './html-tags.ts';
import { type PageFindings, readCss, readModule, readPage } from './page-reader.ts';
import { type ObservationBounds, type Reference, ReferenceCollector } from './reference-collector.ts';
import { findInScripts, isPage, isScript, type ScriptFindings } from './script-findings.ts';
import { secretsIn } from './secrets.ts';

/** The findings in one file of a site. */
export interface Observation {
  readonly references: readonly Reference[];
  /** The kinds of secret that the file seems to contain; never the secret itself. */
  readonly secrets: readonly SecretKind[];
  /** Whether a script in it registers a service worker; absent if none does. */
  readonly serviceWorker?: true;
  /** Features that it uses, and that need an origin of the site's own; absent if there are none. */
  readonly originNeeds?: readonly OriginNeed[];
  /** The addresses of embeds that need a Referer but get none; absent if there are none. */
  readonly withoutReferrer?: readonly string[];
  /** The tool that made the page, if recognized. */
  readonly tool?: SiteTool;
  /** Whether all of the file was searched. */
  readonly whole: boolean;
}

/** Bytes decoded at once: V8 frees longer strings late, and searches them more slowly. */
const PIECE_BYTES = 65_536;
/** Bytes read before and after a piece: more than the longest secret. */
const OVERLAP_BYTES = 256;
const NOTHING: Observation = { references: [], secrets: [], whole: true };
const BOUNDLESS: ObservationBounds = { work: Number.POSITIVE_INFINITY };
const STYLE_SHEET = /\.css$/i;
/** Files without text, and source maps, for which the name alone causes a warning. */
const OPAQUE =
  /\.(?:png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|m4a|webm|ogg|wasm|pdf|zip|gz|br|map)$/i;

/** Whether {@link observe} searches a file of that path. Of any other file it only checks whether it is a private key. */
export function isObservable(path: string): boolean {
  return !OPAQUE.test(path);
}

/** Whether the whole text of a file is searched for references. Of scripts, only the beginning is searched. */
export function mayHaveReferences(path: string): boolean {
  return isPage(path) || STYLE_SHEET.test(path) || isWebAppManifest(path);
}

/**
 * Searches a file's text for references (in HTML, CSS, modules and web app manifests), for secrets, and for features that
 * may not work on a site. Takes linear time, and ends when references need more work than the bounds allow: equal texts
 * and bounds give equal results.
 *
 * @example
 * import { observe } from '@pinfold/archive-zip/observe';
 *
 * const { references } = observe('index.html', '<img src="logo.png">');
 * references.length; // 1
 */
export function observe(path: string, text: string, bounds: ObservationBounds = BOUNDLESS): Observation {
  if (!isObservable(path)) return { ...NOTHING, secrets: secretsOf(path, text, []) };
  const collector = new ReferenceCollector(path, bounds);
  const page = readReferences(path, text, collector);
  // Only scripts, because the text of a page may quote a script.
  const scripts = findInScripts(page?.scripts ?? (isScript(path) ? [text] : []));
  return observation(secretsOf(path, text, secretsIn(text)), scripts, collector, page);
}

/** Like {@link observe}, for bytes in any encoding that includes ASCII; finds references only at the beginning. */
export function observeBytes(
  path: string,
  bytes: Buffer,
  bounds: ObservationBounds = BOUNDLESS,
): Observation {
  if (!isObservable(path)) return { ...NOTHING, secrets: secretsOf(path, bytes, []) };
  const secrets = new Set<SecretKind>();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const from = Math.max(0, at - OVERLAP_BYTES);
    const text = bytes.toString('latin1', from, at + PIECE_BYTES + OVERLAP_BYTES);
    for (const kind of secretsIn(text, at - from, at - from + PIECE_BYTES)) secrets.add(kind);
  }
  const collector = new ReferenceCollector(path, bounds);
  if (isScript(path)) readModule(headOf(bytes), collector);
  return observation(
    secretsOf(path, bytes, secrets),
    findInScripts(isScript(path) ? [bytes] : []),
    collector,
  );
}

/** The beginning of a script. Decodes it as UTF-8, which is up to forty times as slow, only if it imports anything. */
function headOf(bytes: Buffer): string {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const head = bytes.subarray(hasByteOrderMark ? 3 : 0, PIECE_BYTES);
  const text = head.toString('latin1');
  return importsOf(text).length === 0 ? text : head.toString('utf8');
}

function secretsOf(
  path: string,
  content: string | Buffer,
  found: Iterable<SecretKind>,
): readonly SecretKind[] {
  const secrets = new Set(found);
  const secret = secretOfFile(path, (characters) =>
    typeof content === 'string' ? content.slice(0, characters) : content.toString('latin1', 0, characters),
  );
  // A name like `secrets.json` adds nothing to secrets that were found inside.
  if (secret === 'private_key' || (secret !== undefined && secrets.size === 0)) secrets.add(secret);
  return [...secrets];
}

function readReferences(path: string, text: string, collector: ReferenceCollector): PageFindings | undefined {
  if (isPage(path)) return readPage(text, collector);
  if (STYLE_SHEET.test(path)) readCss(text, collector);
  else if (isScript(path)) readModule(text.slice(0, PIECE_BYTES), collector);
  else if (isWebAppManifest(path)) {
    for (const { url, navigation } of webAppManifestUrls(text))
      if (!collector.add(plainTargetOf(url), { navigation })) break;
  }
  return undefined;
}

function observation(
  secrets: readonly SecretKind[],
  { serviceWorker, originNeeds }: ScriptFindings,
  collector: ReferenceCollector,
  { originNeeds: ofElements = [], withoutReferrer = [], tool }: Partial<PageFindings> = {},
): Observation {
  const needs = [...new Set([...originNeeds, ...ofElements])].sort();
  return {
    references: collector.references(),
    secrets,
    whole: collector.whole,
    ...(serviceWorker && { serviceWorker }),
    ...(needs.length > 0 && { originNeeds: needs }),
    ...(withoutReferrer.length > 0 && { withoutReferrer }),
    ...(tool !== undefined && { tool }),
  };
}
