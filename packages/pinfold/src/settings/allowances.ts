import { defaultLimits, type Limits, type Rate } from '@pinfold/core';
import { DEFAULT_KEY_LIMIT, DEFAULT_NAME_LIMIT, parseRate } from '@pinfold/core/internal';
import type { Parse, ReadVariable } from './read-variable.ts';
import { SettingsError } from './settings-error.ts';

/** What each account may use, unless it was given an allowance of its own. */
export interface Allowances {
  /** Null where there is no bound. */
  readonly rates: { readonly requests: Rate | null; readonly publications: Rate | null };
  /** Publications in service, bytes of their archives, and names; null where there is no bound. */
  readonly quotas: Readonly<Record<'sites' | 'bytes' | 'names', number | null>>;
  /** API keys that are not revoked; null where there is no bound. */
  readonly keyLimit: number | null;
  /** What an archive may have where that differs from the core's defaults. */
  readonly archives: Partial<ArchiveLimits>;
}

type ArchiveLimits = Pick<Limits, 'archiveBytes' | 'expandedBytes' | 'files' | 'fileBytes'>;

const MiB = 1_048_576;
/** The smallest ZIP there is of an empty index.html: below it, nothing could be published. */
const LEAST_ARCHIVE_BYTES = 118;
const MOST_ARCHIVE_BYTES = 64 * MiB;
const MOST_EXPANDED_BYTES = 512 * MiB;
const MOST_FILES = 10_000;

/** Reads rates, quotas, the limit of keys and the limits of an archive. */
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
  return (variable, value = usual) => {
    if (value === 'off') return null;
    if (!/^\d{1,15}$/.test(value)) throw new SettingsError(variable, 'must be off, or a whole number from 0');
    return Number(value);
  };
}

/** Only those that differ: what is not set here may be set in code. */
function readArchiveLimits(read: ReadVariable): Partial<ArchiveLimits> {
  const expandedBytes = read('EXPANDED_BYTES', readLimit(LEAST_ARCHIVE_BYTES, MOST_EXPANDED_BYTES));
  const within = expandedBytes ?? defaultLimits.expandedBytes;
  const given: { readonly [Name in keyof ArchiveLimits]: number | undefined } = {
    expandedBytes,
    archiveBytes:
      read('ARCHIVE_BYTES', readLimitWithin(within, LEAST_ARCHIVE_BYTES, MOST_ARCHIVE_BYTES)) ??
      follow('archiveBytes'),
    files: read('FILES', readLimit(1, MOST_FILES)),
    fileBytes: read('FILE_BYTES', readLimitWithin(within, 1, MOST_EXPANDED_BYTES)) ?? follow('fileBytes'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));

  function follow(name: 'archiveBytes' | 'fileBytes'): number | undefined {
    return defaultLimits[name] > within ? within : undefined;
  }
}

function readLimitWithin(within: number, least: number, most: number): Parse<number | undefined> {
  return (variable, value) => {
    const limit = readLimit(least, most)(variable, value);
    if (limit === undefined || limit <= within) return limit;
    throw new SettingsError(variable, `must not be above PINFOLD_EXPANDED_BYTES, which is ${within}`);
  };
}

function readLimit(least: number, most: number): Parse<number | undefined> {
  return (variable, value) => {
    if (value === undefined) return undefined;
    if (/^[1-9]\d{0,9}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    throw new SettingsError(variable, `must be a whole number from ${least} to ${most}`);
  };
}
