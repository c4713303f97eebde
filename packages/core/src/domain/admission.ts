import type { KeyQuotaExceeded, PublicationQuotaExceeded, Refusal } from '../refusal.ts';
import type { Account, AccountUse, Block, PublicationLimits } from './account.ts';
import type { SaveAuthority } from './actor.ts';
import type { Instant } from './instant.ts';
import { type NamesInUse, refuseName } from './name.ts';
import { parseRate, type Rate, type RateMark, rateLeft, takenFrom } from './rate.ts';
import type { Sha256 } from './sha256.ts';

/** The values of a publication that admission checks. */
export interface AdmissionRequest {
  readonly now: Instant;
  /** Bytes of the ZIP, and its SHA-256. */
  readonly archiveBytes: number;
  readonly sha256: Sha256;
  /** The limits for accounts without limits of their own. */
  readonly limits: PublicationLimits;
  readonly isNamed: boolean;
}

/** Why an account may change nothing now. */
export type Unchangeable = Refusal<'account_blocked' | 'read_only'>;

/** Why an account may not publish now; `invalid_archive` is of content that was taken down. */
export type Inadmissible =
  | Unchangeable
  | Refusal<'invalid_archive' | 'rate_limited'>
  | PublicationQuotaExceeded;

/** The look-ups of a store for an admission, each made only if needed. */
export interface AdmissionFacts {
  isForbidden(): boolean;
  inService(): Pick<AccountUse, 'sites' | 'bytes'>;
  names(): NamesInUse;
}

/** The answer to an archive that was taken down. */
export const FORBIDDEN_CONTENT: Refusal<'invalid_archive'> = {
  kind: 'refused',
  code: 'invalid_archive',
  problems: [{ rule: 'forbidden_content' }],
};

type KnownAccount = Pick<Account, 'limits' | 'publicationsMark'>;

/** The limits in force for the publications of an account: its own before those for all. */
export function publicationLimitsOf(
  account: Pick<Account, 'limits'> | undefined,
  ofAll: PublicationLimits,
): PublicationLimits {
  const own = account?.limits;
  return {
    publications: rateInForce(own?.publications ?? null, ofAll.publications),
    sites: inForce(own?.sites ?? null, ofAll.sites),
    bytes: inForce(own?.bytes ?? null, ofAll.bytes),
    names: ofAll.names,
  };
}

export function rateInForce(own: string | null, ofAll: Rate | null): Rate | null {
  return inForce(own === null ? null : (parseRate(own) ?? null), ofAll);
}

/** Why an authority may not change what belongs to an account; `undefined` if it may. */
export function refuseChange(
  account: Pick<Account, 'blocked'> | undefined,
  { kind, message }: Mode,
  authority: SaveAuthority = 'account',
): Unchangeable | undefined {
  if (authority === 'operator') return undefined;
  const blocked = account?.blocked ?? null;
  if (blocked !== null) return { kind: 'refused', code: 'account_blocked', reason: blocked.reason };
  return kind === 'read_only' && authority !== 'viewing'
    ? { kind: 'refused', code: 'read_only', message }
    : undefined;
}

/** The answer to a new key of an account that is being erased, for any caller. */
export function refuseErasing({ reason }: Block): Refusal<'account_blocked'> {
  return { kind: 'refused', code: 'account_blocked', reason };
}

/**
 * Why an account that may change something may not publish; `undefined` if it may. Publications in service are counted only
 * if a quota needs it. For a commit, count them in its transaction.
 */
export function refuseAdmission(
  account: KnownAccount | undefined,
  request: AdmissionRequest,
  facts: AdmissionFacts,
): Refusal<'invalid_archive' | 'rate_limited'> | PublicationQuotaExceeded | undefined {
  if (facts.isForbidden()) return FORBIDDEN_CONTENT;
  const limits = publicationLimitsOf(account, request.limits);
  const { publications } = limits;
  if (publications !== null) {
    const { remaining, nextAt } = rateLeft(publications, account?.publicationsMark ?? null, request.now);
    if (remaining === 0) return { kind: 'refused', code: 'rate_limited', retryAt: nextAt };
  }
  const used = hasQuota(limits) ? facts.inService() : { sites: 0, bytes: 0 };
  return (
    refuseBeyondQuota('sites', limits.sites, used.sites + 1) ??
    refuseBeyondQuota('bytes', limits.bytes, used.bytes + request.archiveBytes) ??
    (request.isNamed ? refuseName(facts.names(), limits.names) : undefined)
  );
}

/** Whether an account has a quota, for which its publications in service have to be counted. */
export function hasQuota({ sites, bytes }: Pick<PublicationLimits, 'sites' | 'bytes'>): boolean {
  return sites !== null || bytes !== null;
}

/** The rate mark of an account after one more publication. */
export function accountAfterPublishing(
  account: KnownAccount & Pick<Account, 'lastPublishedAt'>,
  { now, limits }: Pick<AdmissionRequest, 'now' | 'limits'>,
): Pick<Account, 'publicationsMark' | 'lastPublishedAt'> {
  const { publicationsMark: mark, lastPublishedAt } = account;
  const rate = publicationLimitsOf(account, limits).publications;
  // Databases store safe integers, which microseconds are until the year 2255: from then on no publications are counted.
  const taken = rate && (Math.min(takenFrom(rate, mark, now), Number.MAX_SAFE_INTEGER) as RateMark);
  return {
    publicationsMark: taken ?? mark,
    lastPublishedAt: lastPublishedAt !== null && lastPublishedAt > now ? lastPublishedAt : now,
  };
}

function refuseBeyondQuota(
  rule: 'sites' | 'bytes',
  limit: number | null,
  actual: number,
): PublicationQuotaExceeded | undefined {
  if (limit === null || actual <= limit) return undefined;
  return { kind: 'refused', code: 'quota_exceeded', rule, limit, actual };
}

/** Why an account gets no further API key beside its `live` ones; `undefined` if it gets one. */
export function refuseKey(live: number, limit: number | null): KeyQuotaExceeded | undefined {
  if (limit === null || live < limit) return undefined;
  return { kind: 'refused', code: 'quota_exceeded', rule: 'keys', limit, actual: live + 1 };
}

function inForce<Value>(own: Value | 'off' | null, ofAll: Value | null): Value | null {
  if (own === 'off') return null;
  return own ?? ofAll;
}

/** How the service runs for everybody. */
export interface Mode {
  /** While the service is read-only, only the operator changes anything. */
  readonly kind: 'normal' | 'read_only';
  /** The message for callers whose changes are refused; null for none. */
  readonly message: string | null;
}

/** The initial mode. */
export const NORMAL_MODE: Mode = { kind: 'normal', message: null };
