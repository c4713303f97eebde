import { type Account, days, type Instant, type Limits, type PublicationLimits } from '@pinfold/core';
import { boundsOf, hasQuota, leftOf, type RateLeft } from '@pinfold/core/adapter';
import type { Call, Outcome, Service } from '../service.ts';

/** What is left of a rate, as the API tells it. */
export interface WireRate {
  readonly limit: number;
  readonly window_seconds: number;
  readonly remaining: number;
}

/** A quota, as the API tells it. */
export interface WireQuota {
  readonly limit: number;
  readonly used: number;
}

/** `GET /api/v1/limits`: the limits in force for the caller, and what of them is left. */
export async function limits(
  { useCases, requests }: Service,
  { caller, account, requestRate }: Call,
): Promise<Outcome> {
  const now = useCases.clock.now();
  const inForce = boundsOf(account, await useCases.quotasOf(caller.account));
  const requestsLeft = requestRate && requests.limiter.accounts.left(caller.account, requestRate, now);
  const used = hasQuota(inForce)
    ? await useCases.accounts.usedBy(caller.account, now)
    : { sites: 0, bytes: 0 };
  const json = {
    limits: wireLimits(await useCases.limitsOf(caller.account)),
    rates: {
      requests: wireRate(requestsLeft),
      publications: wireRate(publicationsLeft(account, inForce, now)),
    },
    quotas: { sites: wireQuota(inForce.sites, used.sites), bytes: wireQuota(inForce.bytes, used.bytes) },
  };
  return { status: 200, json };
}

/** What an account has left of its rate of publications; null where there is no such rate. */
export function publicationsLeft(
  account: Account | undefined,
  { publications }: PublicationLimits,
  now: Instant,
): RateLeft | null {
  return publications && leftOf(publications, account?.publicationsMark ?? null, now);
}

/** The JSON of the limits. */
export function wireLimits(inForce: Limits): Readonly<Record<string, number>> {
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

function wireRate(left: RateLeft | null): WireRate | null {
  return left && { limit: left.limit, window_seconds: left.window / 1_000, remaining: left.remaining };
}

function wireQuota(limit: number | null, used: number): WireQuota | null {
  return limit === null ? null : { limit, used };
}
