import type { KeyQuotaExceeded, PublicationQuotaExceeded, Refusal } from '../refusal.ts';
import type { Account, AccountUse, Block, PublicationLimits } from './account.ts';
import type { SaveAuthority } from './actor.ts';
import type { Sha256 } from './identity.ts';
import { type Instant, isRecent } from './instant.ts';
import { checkNameLimit, type NamesInUse } from './name.ts';
import { parseRate, type Rate, type RateMark, rateLeft, takenFrom } from './rate.ts';

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

/** Why an account may not change anything now. */
export type Unchangeable = Refusal<'account_blocked' | 'read_only'>;

/** Why an account may not publish now; `invalid_archive` if the content was taken down. */
export type Inadmissible =
  | Unchangeable
  | Refusal<'invalid_archive' | 'rate_limited'>
  | PublicationQuotaExceeded;

/** The lookups of a store for an admission, each made only if needed. */
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

/** The limits in force for the publications of an account: its own override the general ones. */
export function publicationLimitsOf(
  account: Pick<Account, 'limits'> | undefined,
  general: PublicationLimits,
): PublicationLimits {
  const own = account?.limits;
  return {
    publications: rateInForce(own?.publications ?? null, general.publications),
    sites: inForce(own?.sites ?? null, general.sites),
    bytes: inForce(own?.bytes ?? null, general.bytes),
    names: general.names,
  };
}

export function rateInForce(own: string | null, general: Rate | null): Rate | null {
  return inForce(own === null ? null : (parseRate(own) ?? null), general);
}

/** Checks whether an authority may change what belongs to an account: refuses for a block, and in read-only mode. */
export function checkAuthority(
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

/** Refuses a new key or session of an account that is being erased, to any caller. */
export function refuseErasing({ reason }: Block): Refusal<'account_blocked'> {
  return { kind: 'refused', code: 'account_blocked', reason };
}

/**
 * Checks whether an account that may change something may publish. Counts publications in service only if a quota needs it;
 * a commit must count them in its transaction.
 */
export function checkAdmission(
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
    checkQuota('sites', limits.sites, used.sites + 1) ??
    checkQuota('bytes', limits.bytes, used.bytes + request.archiveBytes) ??
    (request.isNamed ? checkNameLimit(facts.names(), limits.names) : undefined)
  );
}

/** Whether there is a quota, for which publications in service must be counted. */
export function hasQuota({ sites, bytes }: Pick<PublicationLimits, 'sites' | 'bytes'>): boolean {
  return sites !== null || bytes !== null;
}

/** The columns of an account that one more publication changes. */
export function accountAfterPublishing(
  account: KnownAccount & Pick<Account, 'lastPublishedAt'>,
  { now, limits }: Pick<AdmissionRequest, 'now' | 'limits'>,
): Pick<Account, 'publicationsMark' | 'lastPublishedAt'> {
  const { publicationsMark: mark, lastPublishedAt } = account;
  const rate = publicationLimitsOf(account, limits).publications;
  // Databases store safe integers: enough for microseconds until the year 2255. Later publications are not counted.
  const taken = rate && (Math.min(takenFrom(rate, mark, now), Number.MAX_SAFE_INTEGER) as RateMark);
  return {
    publicationsMark: taken ?? mark,
    lastPublishedAt: lastPublishedAt !== null && isRecent(lastPublishedAt, now, now) ? lastPublishedAt : now,
  };
}

function checkQuota(
  rule: 'sites' | 'bytes',
  limit: number | null,
  actual: number,
): PublicationQuotaExceeded | undefined {
  if (limit === null || actual <= limit) return undefined;
  return { kind: 'refused', code: 'quota_exceeded', rule, limit, actual };
}

/** Checks whether an account may have one more API key beside its `live` ones, which are not revoked. */
export function checkKeyLimit(live: number, limit: number | null): KeyQuotaExceeded | undefined {
  if (limit === null || live < limit) return undefined;
  return { kind: 'refused', code: 'quota_exceeded', rule: 'keys', limit, actual: live + 1 };
}

function inForce<Value>(own: Value | 'off' | null, general: Value | null): Value | null {
  if (own === 'off') return null;
  return own ?? general;
}

/** The mode of the whole service. */
export interface Mode {
  /** While the service is read-only, only the operator changes anything. */
  readonly kind: 'normal' | 'read_only';
  /** The message for callers whose changes are refused; null for none. */
  readonly message: string | null;
}

/** The initial mode. */
export const NORMAL_MODE: Mode = { kind: 'normal', message: null };
