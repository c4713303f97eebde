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

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** An expiration for people, in their time zone: `Sun, 29 Nov, 22:52 (in 7 days)`. */
export function formatExpiry(expiresAt: string | null, now: number): string {
  if (expiresAt === null) return 'never';
  const at = Date.parse(expiresAt);
  if (Number.isNaN(at)) return expiresAt;
  const hours = Math.max(0, Math.round((at - now) / HOUR_MS));
  const left = hours < 2 * DAY_HOURS ? pluralize(hours, 'hour') : `${Math.round(hours / DAY_HOURS)} days`;
  const parts = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  return `${new Intl.DateTimeFormat('en-GB', parts).format(at)} (in ${left})`;
}
