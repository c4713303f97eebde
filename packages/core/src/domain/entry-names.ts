import type { ListedEntry } from './archive-rules.ts';

/** The systems whose archivers may write `\` between folders: MS-DOS, NTFS and VFAT (APPNOTE.TXT, section 4.4.2). */
const BACKSLASH_HOSTS = [0, 10, 11];

/**
 * The names as the site means them, `undefined` for an entry that is nothing.
 * Windows PowerShell 5 writes `\` for `/`, and bsdtar begins every name with `./`: each is read as what it
 * means, only where the whole archive does so.
 */
export function readNames(
  entries: readonly Pick<ListedEntry, 'name' | 'host'>[],
): readonly (string | undefined)[] {
  const names = entries.map((entry) => entry.name);
  if (entries.every(({ name, host }) => !name.includes('/') && BACKSLASH_HOSTS.includes(host))) {
    return names.map((name) => name.replaceAll('\\', '/'));
  }
  if (names.every((name) => name.startsWith('./'))) {
    return names.map((name) => (name === './' ? undefined : name.slice(2)));
  }
  return names;
}
