import { type Duration, days, hours, minutes, seconds } from './instant.ts';

const MiB = 1_048_576;

/** Every limit of the service that an embedding team may set. */
export interface Limits {
  /** Bytes of the ZIP as uploaded, inclusive. */
  readonly archiveBytes: number;
  /** Bytes of all entries inflated, inclusive. */
  readonly expandedBytes: number;
  /** Files of the site, inclusive. */
  readonly files: number;
  /** Bytes of one inflated file, inclusive. */
  readonly fileBytes: number;
  /** Code points of a title, inclusive. */
  readonly titleCharacters: number;
  /** Characters of an Idempotency-Key, inclusive. */
  readonly idempotencyKeyCharacters: number;
  /** The minimum number of code points of a password. */
  readonly passwordMinCharacters: number;
  /** Bytes of a password in UTF-8, inclusive. */
  readonly passwordMaxBytes: number;
  /** How long a new publication lives. */
  readonly lifetime: Duration;
  /** How long a publication lives after it is renewed or unpinned; the same as `lifetime` by default. */
  readonly renewal: Duration;
  /** How long a reservation of an Idempotency-Key is valid without being renewed. */
  readonly lease: Duration;
  readonly grantLifetime: Duration;
  /** How long a hand-over from the shared URL to the site's own origin is valid. */
  readonly handOverLifetime: Duration;
  /** Wrong passwords that one address may try on one role in a window. */
  readonly attemptsPerAddress: number;
  /** Wrong passwords that all addresses together may try on one role in a window. */
  readonly attemptsPerRole: number;
  readonly attemptWindow: Duration;
  /** Concurrent publications in one process; most of them wait for I/O. */
  readonly publishing: number;
  /** Concurrent proofs in one process; these take processors and memory. */
  readonly proving: number;
  /** Publications that may wait in the queue; beyond it they fail with `publishing_overloaded`. */
  readonly publishingQueue: number;
  /** How long an ended role keeps its archive. */
  readonly cleanupGrace: Duration;
  /** The age from which an archive without a record, or an abandoned upload, is removed. */
  readonly orphanAge: Duration;
  /** The age from which a reservation is dropped, even if it was renewed. */
  readonly reservationAge: Duration;
}

/** The limits that may differ by account. */
export type OwnLimits = Partial<
  Pick<Limits, 'archiveBytes' | 'expandedBytes' | 'files' | 'fileBytes' | 'lifetime' | 'renewal'>
>;

/** The default limits; docs/wire.md#limits-get-apiv1limits has those that callers can read. */
export const defaultLimits: Limits = {
  archiveBytes: 10 * MiB,
  expandedBytes: 50 * MiB,
  files: 500,
  fileBytes: 10 * MiB,
  titleCharacters: 255,
  idempotencyKeyCharacters: 255,
  passwordMinCharacters: 8,
  passwordMaxBytes: 72,
  lifetime: days(7),
  renewal: days(7),
  lease: seconds(60),
  grantLifetime: hours(12),
  handOverLifetime: minutes(1),
  attemptsPerAddress: 10,
  attemptsPerRole: 300,
  attemptWindow: minutes(5),
  publishing: 16,
  proving: 4,
  publishingQueue: 256,
  cleanupGrace: hours(1),
  orphanAge: hours(24),
  reservationAge: hours(12),
};

/** Pairs of limits: the first must not be above the second, because it could never be reached. */
const ORDERED_LIMITS = [
  ['archiveBytes', 'expandedBytes'],
  ['fileBytes', 'expandedBytes'],
  ['passwordMinCharacters', 'passwordMaxBytes'],
  ['attemptsPerAddress', 'attemptsPerRole'],
] as const;

/** The longest lifetime in days: expirations stay within the years that RFC 3339 can write. */
const MAX_LIFETIME = 36_500;

/**
 * The defaults, overridden by the given limits; `renewal` is `lifetime` unless given.
 *
 * @throws TypeError for an unknown limit, a value that is not a whole number of at least 0 (for `publishing` and `proving`, of
 * at least 1), a lifetime or renewal of over 36,500 days, and a value above the limit that bounds it.
 */
export function limitsInForce(given: Partial<Limits>): Limits {
  const { lifetime = defaultLimits.lifetime } = given;
  const limits: Limits = { ...defaultLimits, renewal: lifetime, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name)) throw new TypeError(`limits has no ${name}`);
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new TypeError(`limits.${name} must be a whole number from 0`);
    }
  }
  // With none, every publication would wait for ever.
  for (const name of ['publishing', 'proving'] as const) {
    if (limits[name] === 0) throw new TypeError(`limits.${name} must be at least 1`);
  }
  for (const name of ['lifetime', 'renewal'] as const) {
    if (limits[name] > days(MAX_LIFETIME))
      throw new TypeError(`limits.${name} must be at most ${MAX_LIFETIME} days`);
  }
  for (const [name, bound] of ORDERED_LIMITS) {
    if (limits[name] > limits[bound]) {
      throw new TypeError(`limits.${name} must not be above limits.${bound}, which is ${limits[bound]}`);
    }
  }
  return limits;
}

/**
 * The limits in force, overridden by an account's own; `renewal` is its `lifetime` unless given.
 *
 * @throws TypeError as {@link limitsInForce} does, and for anything but an object.
 */
export function withAccountLimits(inForce: Limits, own: OwnLimits): Limits {
  if (typeof own !== 'object' || own === null) throw new TypeError('limitsOf must answer an object');
  const { lifetime, renewal = lifetime ?? inForce.renewal } = own;
  // A member that is undefined counts as absent, as in `{ files: plan?.files }`.
  const present = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return limitsInForce({ ...inForce, ...present, renewal });
}
