/** A reference of a web app manifest. */
export interface ManifestUrl {
  readonly url: string;
  /** Whether it is opened as a page. */
  readonly navigation: boolean;
}

const MANIFEST = /(?:^|\/)(?:[^/]*\.webmanifest|manifest\.json)$/i;
/** Larger ones are no manifests. */
const MAX_CHARACTERS = 262_144;

/** Whether a file is a web app manifest by its name. */
export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/** The URLs of a web app manifest (W3C, Web Application Manifest); none where it is no such JSON. */
export function manifestUrls(text: string): readonly ManifestUrl[] {
  if (text.length > MAX_CHARACTERS) return [];
  const manifest = parsed(text);
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

function parsed(text: string): Members {
  try {
    return listOf([JSON.parse(text.replace(/^\u{feff}/u, ''))])[0] ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function listOf(value: unknown): readonly Members[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Members => typeof item === 'object' && item !== null);
}
