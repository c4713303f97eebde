/**
 * An address of this screen as a path that stays on its host: where the screen is mounted at the root, a path that
 * begins with two slashes, or with what browsers take for them, would name another.
 */
export function onThisHost(path: string): string {
  return path.replace(/^[/\\\s]+/, '/');
}
