/** A number with its noun: `1 archive`, `2 archives`. */
export function pluralize(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

/** A size for people: `512 bytes`, `985 KiB`, `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return pluralize(bytes, 'byte');
  const kibibytes = bytes / 1_024;
  return kibibytes < 1_024 ? `${Math.round(kibibytes)} KiB` : `${(kibibytes / 1_024).toFixed(1)} MiB`;
}
