import { defaultLimits, type Limits, type Rate } from '@pinfold/core';
import { DEFAULT_KEY_LIMIT, DEFAULT_NAME_LIMIT, parseRate } from '@pinfold/core/internal';
import { given, type Parse, type ReadVariable, readNumber } from './read-variable.ts';
import { SettingsError } from './settings-error.ts';

/** The allowance of each account that has none of its own. */
export interface Allowances {
  /** Null where there is no bound. */
  readonly rates: { readonly requests: Rate | null; readonly publications: Rate | null };
  /** Publications in service, bytes of their archives, and names; null where there is no bound. */
  readonly quotas: Readonly<Record<'sites' | 'bytes' | 'names', number | null>>;
  /** API keys that are not revoked; null where there is no bound. */
  readonly keyLimit: number | null;
  /** Limits of archives that differ from the core's defaults. */
  readonly archives: Partial<ArchiveLimits>;
}

type ArchiveLimits = Pick<Limits, 'archiveBytes' | 'expandedBytes' | 'files' | 'fileBytes'>;

const MiB = 1_048_576;
/** The smallest ZIP there is of an empty index.html: below it, nothing could be published. */
const MIN_ARCHIVE_BYTES = 118;
const MAX_ARCHIVE_BYTES = 64 * MiB;
const MAX_EXPANDED_BYTES = 512 * MiB;
const MAX_FILES = 10_000;

export function readAllowances(read: ReadVariable): Allowances {
  return {
    rates: {
      requests: read('RATE_REQUESTS', readRate('6000/1m')),
      publications: read('RATE_PUBLICATIONS', readRate('600/1h')),
    },
    quotas: {
      sites: read('QUOTA_SITES', readQuota('off')),
      bytes: read('QUOTA_BYTES', readQuota('off')),
      names: read('NAMES', readQuota(String(DEFAULT_NAME_LIMIT))),
    },
    keyLimit: read('KEYS', readQuota(String(DEFAULT_KEY_LIMIT))),
    archives: readArchiveLimits(read),
  };
}

function readRate(usual: string): Parse<Rate | null> {
  return (variable, value = usual) => {
    const rate = parseRate(value);
    if (rate === undefined) {
      throw new SettingsError(
        variable,
        `must be off, or a number and a time in s, m, h or d, such as ${usual}`,
      );
    }
    return rate === 'off' ? null : rate;
  };
}

function readQuota(usual: string): Parse<number | null> {
  const readCount = readNumber(null, 0, Number.MAX_SAFE_INTEGER, 'must be off, or a whole number from 0');
  return (variable, value = usual) => (value === 'off' ? null : readCount(variable, value));
}

/** Only those that differ: what is not set here may be set in code. */
function readArchiveLimits(read: ReadVariable): Partial<ArchiveLimits> {
  const expandedBytes = read('EXPANDED_BYTES', readNumber(undefined, MIN_ARCHIVE_BYTES, MAX_EXPANDED_BYTES));
  const within = expandedBytes ?? defaultLimits.expandedBytes;
  const readWithin = (least: number, most: number, usual: number): Parse<number | undefined> => {
    const readLimit = readNumber(usual > within ? within : undefined, least, most);
    return (variable, value) => {
      const limit = readLimit(variable, value);
      if (limit === undefined || limit <= within) return limit;
      throw new SettingsError(variable, `must not be above PINFOLD_EXPANDED_BYTES, which is ${within}`);
    };
  };
  return given({
    expandedBytes,
    archiveBytes: read(
      'ARCHIVE_BYTES',
      readWithin(MIN_ARCHIVE_BYTES, MAX_ARCHIVE_BYTES, defaultLimits.archiveBytes),
    ),
    files: read('FILES', readNumber(undefined, 1, MAX_FILES)),
    fileBytes: read('FILE_BYTES', readWithin(1, MAX_EXPANDED_BYTES, defaultLimits.fileBytes)),
  });
}
