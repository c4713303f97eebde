import { type Duration, days, defaultLimits, type Limits, type Rate } from '@pinfold/core';
import { DEFAULT_KEY_LIMIT, DEFAULT_NAME_LIMIT, parseRate } from '@pinfold/core/internal';
import { DECIMAL, numberFrom, omitUndefined, type Parse, type ReadOption } from './read-option.ts';
import { formatOption } from './variables.ts';

/** The allowance of each account that has none of its own. */
export interface Allowances {
  /** Null: unlimited. */
  readonly rates: { readonly requests: Rate | null; readonly publications: Rate | null };
  /** Publications in service, bytes of their archives, and names; null: unlimited. */
  readonly quotas: Readonly<Record<'sites' | 'bytes' | 'names', number | null>>;
  /** API keys that are not revoked; null: unlimited. */
  readonly keyLimit: number | null;
  /** Limits that differ from the core's defaults; `lifetime` is how long a new publication lives. */
  readonly limits: Partial<
    Pick<Limits, 'archiveBytes' | 'expandedBytes' | 'files' | 'fileBytes' | 'lifetime'>
  >;
}

const MiB = 1_048_576;
/** The size of the smallest ZIP with an empty index.html. With a lower limit nothing could be published. */
const MIN_ARCHIVE_BYTES = 118;
const MAX_ARCHIVE_BYTES = 64 * MiB;
const MAX_EXPANDED_BYTES = 512 * MiB;
const MAX_FILES = 10_000;
const MAX_DAYS = 36_500;
/** One millisecond. */
const MIN_DAYS = 1 / 86_400_000;

export function readAllowances(read: ReadOption): Allowances {
  return {
    rates: {
      requests: readRate(read, 'rates.requests', '6000/1m'),
      publications: readRate(read, 'rates.publications', '600/1h'),
    },
    quotas: {
      sites: read('quotas.sites', parseQuota, null),
      bytes: read('quotas.bytes', parseQuota, null),
      names: read('quotas.names', parseQuota, DEFAULT_NAME_LIMIT),
    },
    keyLimit: read('keyLimit', parseQuota, DEFAULT_KEY_LIMIT),
    limits: omitUndefined({ ...readArchiveLimits(read), lifetime: read('limits.lifetime', parseDays) }),
  };
}

export function parseDays(text: string): Duration {
  const expectation = `must be a number of days above 0 and up to ${MAX_DAYS}, such as 7 or 0.5`;
  return days(numberFrom(MIN_DAYS, MAX_DAYS, expectation, DECIMAL)(text));
}

function readRate(
  read: ReadOption,
  option: 'rates.requests' | 'rates.publications',
  defaultRate: string,
): Rate | null {
  const parse = (text: string): Rate | null => {
    const rate = parseRate(text);
    if (rate !== undefined) return rate === 'off' ? null : rate;
    throw new TypeError(`must be off, or a number and a time in s, m, h or d, such as ${defaultRate}`);
  };
  return read(option, parse, parse(defaultRate));
}

function parseQuota(text: string): number | null {
  if (text === 'off') return null;
  return numberFrom(0, Number.MAX_SAFE_INTEGER, 'must be off, or a whole number from 0')(text);
}

/** Returns only the limits that are set, so that options in code can set the others. */
function readArchiveLimits(read: ReadOption): Allowances['limits'] {
  const expandedBytes = read('limits.expandedBytes', numberFrom(MIN_ARCHIVE_BYTES, MAX_EXPANDED_BYTES));
  const expandedLimit = expandedBytes ?? defaultLimits.expandedBytes;
  const parseAtMostExpanded = (min: number, max: number): Parse<number> => {
    return (text) => {
      const limit = numberFrom(min, max)(text);
      if (limit <= expandedLimit) return limit;
      throw new TypeError(
        `must not be above ${formatOption('limits.expandedBytes')}, which is ${expandedLimit}`,
      );
    };
  };
  // A default above the limit of expanded bytes is lowered to it.
  const lowerDefault = (limit: number): number | undefined =>
    limit > expandedLimit ? expandedLimit : undefined;
  return omitUndefined({
    expandedBytes,
    archiveBytes: read(
      'limits.archiveBytes',
      parseAtMostExpanded(MIN_ARCHIVE_BYTES, MAX_ARCHIVE_BYTES),
      lowerDefault(defaultLimits.archiveBytes),
    ),
    files: read('limits.files', numberFrom(1, MAX_FILES)),
    fileBytes: read(
      'limits.fileBytes',
      parseAtMostExpanded(1, MAX_EXPANDED_BYTES),
      lowerDefault(defaultLimits.fileBytes),
    ),
  });
}
