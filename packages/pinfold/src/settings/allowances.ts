import { type Duration, days, defaultLimits, type Limits, type Rate } from '@pinfold/core';
import { DEFAULT_KEY_LIMIT, DEFAULT_NAME_LIMIT, parseRate } from '@pinfold/core/internal';
import { DECIMAL, given, numberFrom, type Parse, type ReadOption } from './read-option.ts';
import { named } from './variables.ts';

/** The allowance of each account that has none of its own. */
export interface Allowances {
  /** Null where there is no bound. */
  readonly rates: { readonly requests: Rate | null; readonly publications: Rate | null };
  /** Publications in service, bytes of their archives, and names; null where there is no bound. */
  readonly quotas: Readonly<Record<'sites' | 'bytes' | 'names', number | null>>;
  /** API keys that are not revoked; null where there is no bound. */
  readonly keyLimit: number | null;
  /** Limits that differ from the core's defaults; `lifetime` is how long a new publication lives. */
  readonly limits: Partial<
    Pick<Limits, 'archiveBytes' | 'expandedBytes' | 'files' | 'fileBytes' | 'lifetime'>
  >;
}

const MiB = 1_048_576;
/** The smallest ZIP there is of an empty index.html: below it, nothing could be published. */
const MIN_ARCHIVE_BYTES = 118;
const MAX_ARCHIVE_BYTES = 64 * MiB;
const MAX_EXPANDED_BYTES = 512 * MiB;
const MAX_FILES = 10_000;
const MAX_DAYS = 36_500;
/** A millisecond. */
const MIN_DAYS = 1 / 86_400_000;

export function readAllowances(read: ReadOption): Allowances {
  return {
    rates: {
      requests: readRate(read, 'rates.requests', '6000/1m'),
      publications: readRate(read, 'rates.publications', '600/1h'),
    },
    quotas: {
      sites: read('quotas.sites', quota, null),
      bytes: read('quotas.bytes', quota, null),
      names: read('quotas.names', quota, DEFAULT_NAME_LIMIT),
    },
    keyLimit: read('keyLimit', quota, DEFAULT_KEY_LIMIT),
    limits: given({ ...readArchiveLimits(read), lifetime: read('limits.lifetime', numberOfDays) }),
  };
}

export function numberOfDays(text: string): Duration {
  const expectation = `must be a number of days above 0 and up to ${MAX_DAYS}, such as 7 or 0.5`;
  return days(numberFrom(MIN_DAYS, MAX_DAYS, expectation, DECIMAL)(text));
}

function readRate(
  read: ReadOption,
  option: 'rates.requests' | 'rates.publications',
  usual: string,
): Rate | null {
  const parse = (text: string): Rate | null => {
    const rate = parseRate(text);
    if (rate !== undefined) return rate === 'off' ? null : rate;
    throw new TypeError(`must be off, or a number and a time in s, m, h or d, such as ${usual}`);
  };
  return read(option, parse, parse(usual));
}

function quota(text: string): number | null {
  if (text === 'off') return null;
  return numberFrom(0, Number.MAX_SAFE_INTEGER, 'must be off, or a whole number from 0')(text);
}

/** Only those that differ: what is not set here may be set in code. */
function readArchiveLimits(read: ReadOption): Allowances['limits'] {
  const expandedBytes = read('limits.expandedBytes', numberFrom(MIN_ARCHIVE_BYTES, MAX_EXPANDED_BYTES));
  const within = expandedBytes ?? defaultLimits.expandedBytes;
  const withinExpanded = (least: number, most: number): Parse<number> => {
    return (text) => {
      const limit = numberFrom(least, most)(text);
      if (limit <= within) return limit;
      throw new TypeError(`must not be above ${named('limits.expandedBytes')}, which is ${within}`);
    };
  };
  const usual = (limit: number): number | undefined => (limit > within ? within : undefined);
  return given({
    expandedBytes,
    archiveBytes: read(
      'limits.archiveBytes',
      withinExpanded(MIN_ARCHIVE_BYTES, MAX_ARCHIVE_BYTES),
      usual(defaultLimits.archiveBytes),
    ),
    files: read('limits.files', numberFrom(1, MAX_FILES)),
    fileBytes: read(
      'limits.fileBytes',
      withinExpanded(1, MAX_EXPANDED_BYTES),
      usual(defaultLimits.fileBytes),
    ),
  });
}
