import type { Inadmissible, PublicationQuotaExceeded } from '@pinfold/core';
import { hasQuota, publicationLimitsOf } from '@pinfold/core/adapter';
import { rateLeft } from '@pinfold/core/internal';
import type { SignedInContext } from './request/request-context.ts';

/** The text mentions the rate only if fewer publications than these are left. */
const MAX_MENTIONED = 20;

export async function allowanceText(context: SignedInContext): Promise<string> {
  const { account: name, messages, now } = context;
  const { accounts, quotasOf } = context.screen.useCases;
  const account = (await accounts.load(name))?.value;
  const inForce = publicationLimitsOf(account, await quotasOf(name));
  const { publications, sites, bytes } = inForce;
  const used = hasQuota(inForce) ? await accounts.usedBy(name, now) : { sites: 0, bytes: 0 };
  const left = (limit: number, taken: number) => Math.max(0, limit - taken);
  const rate = publications && rateLeft(publications, account?.publicationsMark ?? null, now);
  const size = (bound: number) => messages.size(bound);
  const sentences = [
    sites !== null && messages.text('leftSites', { count: left(sites, used.sites), limit: sites }),
    bytes !== null && messages.text('leftBytes', { left: size(left(bytes, used.bytes)), limit: size(bytes) }),
    rate?.remaining === 0 && messages.text('leftNone', { when: messages.distance(rate.nextAt, now) }),
    rate &&
      rate.remaining > 0 &&
      rate.remaining < MAX_MENTIONED &&
      messages.text('leftNow', { count: rate.remaining }),
  ];
  return messages.join(sentences.filter((sentence) => typeof sentence === 'string'));
}

export function refusalText(
  { messages, now }: SignedInContext,
  refusal: Exclude<Inadmissible, { code: 'invalid_archive' }>,
): string {
  switch (refusal.code) {
    case 'account_blocked':
      return messages.text('account_blocked');
    case 'read_only':
      return messages.join([
        messages.text('read_only'),
        ...(refusal.message === null ? [] : [refusal.message]),
      ]);
    case 'rate_limited':
      return messages.join([
        messages.text('rate_limited_publications'),
        messages.text('leftNone', { when: messages.distance(refusal.retryAt, now) }),
      ]);
    case 'quota_exceeded':
      return quotaText(messages, refusal);
    default:
      return refusal satisfies never;
  }
}

function quotaText(
  messages: SignedInContext['messages'],
  { rule, limit, actual }: PublicationQuotaExceeded,
): string {
  switch (rule) {
    case 'sites':
      return messages.text('quota_sites', { limit });
    case 'names':
      return messages.text('quota_names', { limit });
    case 'bytes':
      return messages.text('quota_bytes', { limit: messages.size(limit), actual: messages.size(actual) });
    default:
      return rule satisfies never;
  }
}
