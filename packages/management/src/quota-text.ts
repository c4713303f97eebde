import type { AccountId, Inadmissible, Instant, PublicationQuotaExceeded, UseCases } from '@pinfold/core';
import { boundsOf, hasQuota, type RateLeft } from '@pinfold/core/adapter';
import { leftOf } from '@pinfold/core/internal';
import type { SignedInContext } from './request/request-context.ts';

/** More publications left than these are not mentioned. */
const FEW = 20;

/** What an account can still publish; null without a limit. */
export interface Allowance {
  readonly publications: RateLeft | null;
  readonly sites: Quota | null;
  readonly bytes: Quota | null;
}

export interface Quota {
  readonly limit: number;
  readonly used: number;
}

export async function allowanceOf(
  { accounts, quotasOf }: Pick<UseCases, 'accounts' | 'quotasOf'>,
  name: AccountId,
  now: Instant,
): Promise<Allowance> {
  const account = (await accounts.load(name))?.value;
  const inForce = boundsOf(account, await quotasOf(name));
  const used = hasQuota(inForce) ? await accounts.usedBy(name, now) : { sites: 0, bytes: 0 };
  return {
    publications:
      inForce.publications && leftOf(inForce.publications, account?.publicationsMark ?? null, now),
    sites: quota(inForce.sites, used.sites),
    bytes: quota(inForce.bytes, used.bytes),
  };
}

/** What the account can still publish, in sentences; none without a limit. */
export function allowanceWords({ words, now }: SignedInContext, allowance: Allowance): string {
  const { publications, sites, bytes } = allowance;
  return words.join(
    [
      sites && words.say('leftSites', { count: left(sites), limit: sites.limit }),
      bytes && words.say('leftBytes', { left: words.size(left(bytes)), limit: words.size(bytes.limit) }),
      publications && rateWords(publications),
    ].filter((sentence) => sentence !== null),
  );

  function rateWords({ remaining, nextAt }: RateLeft): string | null {
    return remaining === 0
      ? words.say('leftNone', { when: words.distance(nextAt, now) })
      : remaining < FEW
        ? words.say('leftNow', { count: remaining })
        : null;
  }
}

export function refusedWords(
  { words, now }: SignedInContext,
  refusal: Exclude<Inadmissible, { code: 'invalid_archive' }>,
): string {
  switch (refusal.code) {
    case 'account_blocked':
      return words.say('accountBlocked');
    case 'read_only':
      return words.join([words.say('readOnlyText'), ...(refusal.message === null ? [] : [refusal.message])]);
    case 'rate_limited':
      return words.say('publishedTooMuch', { when: words.distance(refusal.retryAt, now) });
    case 'quota_exceeded':
      return quotaWords(words, refusal);
    default:
      return refusal satisfies never;
  }
}

function quotaWords(
  words: SignedInContext['words'],
  { rule, limit, actual }: PublicationQuotaExceeded,
): string {
  switch (rule) {
    case 'sites':
      return words.say('noRoomForSite', { limit });
    case 'names':
      return words.say('noRoomForName', { limit });
    case 'bytes':
      return words.say('noRoomForBytes', { limit: words.size(limit), actual: words.size(actual) });
    default:
      return rule satisfies never;
  }
}

function quota(limit: number | null, used: number): Quota | null {
  return limit === null ? null : { limit, used };
}

function left({ limit, used }: Quota): number {
  return Math.max(0, limit - used);
}
