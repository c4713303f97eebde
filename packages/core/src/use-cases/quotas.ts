import type { PublicationLimits } from '../domain/account.ts';
import type { AccountId } from '../domain/identity.ts';
import { DEFAULT_NAME_LIMIT } from '../domain/name.ts';

/** Quotas for all accounts, or a function of the account. Null or absent: no limit, but `names` is 1,000 by default. */
export type Quotas =
  | Partial<PublicationLimits>
  | ((account: AccountId) => Partial<PublicationLimits> | Promise<Partial<PublicationLimits>>);

const UNBOUNDED: PublicationLimits = {
  publications: null,
  sites: null,
  bytes: null,
  names: DEFAULT_NAME_LIMIT,
};

/** Makes a function that reads the quotas of an account, without a cache. */
export function quotasBy(quotas: Quotas | undefined): (account: AccountId) => Promise<PublicationLimits> {
  return async (account) => ({
    ...UNBOUNDED,
    ...(typeof quotas === 'function' ? await quotas(account) : quotas),
  });
}
