import type { AdministeredAccount } from '@pinfold/core/administration';
import { toRfc3339 } from '@pinfold/core/internal';
import * as T from '../schema.ts';
import {
  exampleOf,
  instantOrNull,
  memberOf,
  operatorText,
  schemasOf,
  type WireOf,
  wireOf,
} from './members.ts';

const rate = T.nullable(T.string(), {
  description: 'Such as `600/1h`; `off` for no limit; null for the limit of all accounts.',
});

const quota = T.nullable(
  T.either(T.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), T.constant('off')),
  { description: 'A whole number; `off` for no limit; null for the limit of all accounts.' },
);

/** The limits of one account, which take precedence over those for all. */
export const accountLimits = { requests: rate, publications: rate, sites: quota, bytes: quota };

export const SITES = ['keep', 'hide'] as const;

const of = memberOf<AdministeredAccount>();
const ACCOUNT = {
  name: of(T.string({ minLength: 1, maxLength: 255 }), 'web-team', ({ account }) => account.name),
  blocked: of(
    T.nullable(T.object({ reason: operatorText(), sites: T.oneOf(SITES), at: T.instant() })),
    { reason: 'Phishing', sites: 'keep', at: '2026-11-20T09:30:00.000Z' },
    ({ account: { blocked } }) =>
      blocked && { reason: blocked.reason, sites: blocked.sites, at: toRfc3339(blocked.at) },
  ),
  limits: of(
    T.object(accountLimits),
    { requests: null, publications: '100/1d', sites: 200, bytes: 'off' },
    ({ account: { limits } }) => {
      const { requests, publications, sites, bytes } = limits;
      return { requests, publications, sites, bytes };
    },
  ),
  used: of(
    T.object({
      sites: T.count('Publications in service.'),
      bytes: T.count('Bytes of their archives.'),
      publications_24h: T.count('Publications of the last 24 hours, in service or not.'),
    }),
    { sites: 12, bytes: 34_603_008, publications_24h: 3 },
    ({ used: { sites, bytes, publications24h } }) => ({ sites, bytes, publications_24h: publications24h }),
  ),
  last_published_at: of(
    T.nullable(T.instant()),
    '2026-11-20T09:00:00.000Z',
    ({ account: { lastPublishedAt } }) => instantOrNull(lastPublishedAt),
  ),
};

type WireAccount = WireOf<typeof ACCOUNT> & { readonly erasing?: true };

export function accountOf(found: AdministeredAccount): WireAccount {
  const isErasing = found.account.blocked?.isErasing === true;
  return { ...wireOf(ACCOUNT, found), ...(isErasing ? { erasing: true } : {}) };
}

const erasing = T.optional(T.constant(true, { description: 'Only while the account is being erased.' }));

export const accountSchema = T.named('Account', () => T.object({ ...schemasOf(ACCOUNT), erasing }));
export const accountAnswer = T.named('AccountAnswer', () => T.object({ account: accountSchema }));
export const exampleAccount: WireAccount = exampleOf(ACCOUNT);

export const accountFilter = T.string({ pattern: '^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]{1,255}$' });
