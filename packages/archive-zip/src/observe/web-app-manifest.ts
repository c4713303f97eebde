const MANIFEST = /(?:^|\/)(?:[^/]*\.webmanifest|manifest\.json)$/i;
/** Larger files are not manifests. */
const MAX_CHARACTERS = 262_144;

export function isWebAppManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/**
 * The URLs of a web app manifest (W3C, Web Application Manifest), and whether they open as pages; none for invalid JSON.
 */
export function webAppManifestUrls(
  text: string,
): readonly { readonly url: string; readonly navigation: boolean }[] {
  if (text.length > MAX_CHARACTERS) return [];
  const manifest = parseMembers(text);
  const shortcuts = listOf(manifest.shortcuts);
  const images = [manifest, ...shortcuts].flatMap(({ icons, screenshots }) => [
    ...listOf(icons),
    ...listOf(screenshots),
  ]);
  const pages = [
    manifest.start_url,
    ...shortcuts.map(({ url }) => url),
    ...listOf([manifest.share_target]).map(({ action }) => action),
    ...listOf(manifest.file_handlers).map(({ action }) => action),
  ];
  return [
    ...images.flatMap(({ src }) => (typeof src === 'string' ? [{ url: src, navigation: false }] : [])),
    ...pages.flatMap((url) => (typeof url === 'string' ? [{ url, navigation: true }] : [])),
  ];
}

type Members = Readonly<Record<string, unknown>>;

/** None if the text is not JSON, or not an object. */
function parseMembers(text: string): Members {
  try {
    return listOf([JSON.parse(text.replace(/^\u{feff}/u, ''))])[0] ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The objects of a list; none if it is not a list. */
function listOf(value: unknown): readonly Members[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Members => typeof item === 'object' && item !== null);
}
