import type { Inadmissible, PublicationQuotaExceeded } from '@pinfold/core';
import { boundsOf, hasQuota } from '@pinfold/core/adapter';
import { leftOf } from '@pinfold/core/internal';
import type { SignedInContext } from './request/request-context.ts';

/** More publications left than these are not mentioned. */
const FEW = 20;

export async function allowanceText({ account: name, words, now, screen }: SignedInContext): Promise<string> {
  const { accounts, quotasOf } = screen.useCases;
  const account = (await accounts.load(name))?.value;
  const inForce = boundsOf(account, await quotasOf(name));
  const { publications, sites, bytes } = inForce;
  const used = hasQuota(inForce) ? await accounts.usedBy(name, now) : { sites: 0, bytes: 0 };
  const left = (limit: number, taken: number) => Math.max(0, limit - taken);
  const rate = publications && leftOf(publications, account?.publicationsMark ?? null, now);
  const size = (bound: number) => words.size(bound);
  const sentences = [
    sites !== null && words.say('leftSites', { count: left(sites, used.sites), limit: sites }),
    bytes !== null && words.say('leftBytes', { left: size(left(bytes, used.bytes)), limit: size(bytes) }),
    rate?.remaining === 0 && words.say('leftNone', { when: words.distance(rate.nextAt, now) }),
    rate && rate.remaining > 0 && rate.remaining < FEW && words.say('leftNow', { count: rate.remaining }),
  ];
  return words.join(sentences.filter((sentence) => typeof sentence === 'string'));
}

export function refusedWords(
  { words, now }: SignedInContext,
  refusal: Exclude<Inadmissible, { code: 'invalid_archive' }>,
): string {
  switch (refusal.code) {
    case 'account_blocked':
      return words.say('account_blocked');
    case 'read_only':
      return words.join([words.say('read_only'), ...(refusal.message === null ? [] : [refusal.message])]);
    case 'rate_limited':
      return words.join([
        words.say('rate_limited_publications'),
        words.say('leftNone', { when: words.distance(refusal.retryAt, now) }),
      ]);
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
      return words.say('quota_sites', { limit });
    case 'names':
      return words.say('quota_names', { limit });
    case 'bytes':
      return words.say('quota_bytes', { limit: words.size(limit), actual: words.size(actual) });
    default:
      return rule satisfies never;
  }
}
