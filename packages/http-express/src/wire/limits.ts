import {
  type Account,
  type AccountId,
  days,
  type Instant,
  type Limits,
  type PublicationLimits,
} from '@pinfold/core';
import { hasQuota, publicationLimitsOf, type RateLeft } from '@pinfold/core/adapter';
import { rateLeft } from '@pinfold/core/internal';
import * as T from '../schema.ts';
import type { ApiUseCases } from '../service.ts';

const LIMITS = {
  archive_bytes: T.count('Bytes of the ZIP.'),
  expanded_bytes: T.count('Bytes of all files, expanded.'),
  files: T.count('Files of the site.'),
  file_bytes: T.count('Bytes of one file, expanded.'),
  title_characters: T.count('Code points of a title.'),
  idempotency_key_characters: T.count('Characters of an Idempotency-Key.'),
  password_min_characters: T.count('Minimum code points of a password.'),
  password_max_bytes: T.count('Bytes of a password in UTF-8.'),
  lifetime_days: T.number({ exclusiveMinimum: 0, description: 'Days a new publication lives.' }),
};

const rateSchema = (counted: string) =>
  T.nullable(
    T.object({
      limit: T.count('Burst size; refilled evenly over the window.'),
      window_seconds: T.integer({ minimum: 1 }),
      remaining: T.count('Calls that would pass now.'),
    }),
    { description: `Counted ${counted}; null if there is no limit.` },
  );

const quotaSchema = (counted: string) =>
  T.nullable(T.object({ limit: T.count('The limit.'), used: T.count('The current use.') }), {
    description: `${counted} Null if there is no limit.`,
  });

export type LimitsAnswer = T.ValueOf<typeof limitsAnswer>;

export const limitsAnswer = T.named('LimitsAnswer', () =>
  T.object({
    limits: T.object(LIMITS),
    rates: T.object({
      requests: rateSchema('by this process'),
      publications: rateSchema('over all nodes'),
    }),
    quotas: T.object({
      sites: quotaSchema('Publications in service.'),
      bytes: quotaSchema('Bytes of their archives.'),
    }),
  }),
);

/** The limits in force for an account, and what is left of its rates and quotas. */
export async function limitsAnswerOf(
  useCases: Pick<ApiUseCases, 'accounts' | 'clock' | 'limitsOf' | 'quotasOf'>,
  name: AccountId,
  account: Account | undefined,
  requests: RateLeft | null,
): Promise<LimitsAnswer> {
  const now = useCases.clock.now();
  const inForce = publicationLimitsOf(account, await useCases.quotasOf(name));
  const used = hasQuota(inForce) ? await useCases.accounts.usedBy(name, now) : { sites: 0, bytes: 0 };
  return {
    limits: wireLimits(await useCases.limitsOf(name)),
    rates: {
      requests: wireRate(requests),
      publications: wireRate(publicationsLeft(account, inForce, now)),
    },
    quotas: { sites: wireQuota(inForce.sites, used.sites), bytes: wireQuota(inForce.bytes, used.bytes) },
  };
}

function wireRate(left: RateLeft | null) {
  return left && { limit: left.limit, window_seconds: left.window / 1_000, remaining: left.remaining };
}

function wireQuota(limit: number | null, used: number) {
  return limit === null ? null : { limit, used };
}

/** What is left of an account's rate of publications; null if it has none. */
export function publicationsLeft(
  account: Account | undefined,
  { publications }: PublicationLimits,
  now: Instant,
): RateLeft | null {
  return publications && rateLeft(publications, account?.publicationsMark ?? null, now);
}

export function wireLimits(inForce: Limits): T.ObjectOf<typeof LIMITS> {
  return {
    archive_bytes: inForce.archiveBytes,
    expanded_bytes: inForce.expandedBytes,
    files: inForce.files,
    file_bytes: inForce.fileBytes,
    title_characters: inForce.titleCharacters,
    idempotency_key_characters: inForce.idempotencyKeyCharacters,
    password_min_characters: inForce.passwordMinCharacters,
    password_max_bytes: inForce.passwordMaxBytes,
    lifetime_days: inForce.lifetime / days(1),
  };
}
