import type { ArchiveProblem } from './domain/archive-problems.ts';
import type { IdempotencyKeyRules } from './domain/idempotency.ts';
import type { Instant } from './domain/instant.ts';
import type { PasswordRules } from './domain/password.ts';
import type { TitleRules } from './domain/text.ts';

/** Broken rules as data: of a map from each rule to what it tells, one member a rule. Doors have the words. */
export type RuleDetails<Rules> = {
  [Rule in keyof Rules]: { readonly rule: Rule } & Rules[Rule];
}[keyof Rules];

/** The rule has no details. */
export type NoDetails = unknown;

/** A limit, and what was there instead. */
export interface LimitAndActual {
  readonly limit: number;
  readonly actual: number;
}

/** The quotas of an account; `actual` includes the refused publication, key or name. */
export interface QuotaRules {
  readonly sites: LimitAndActual;
  readonly bytes: LimitAndActual;
  /** API keys that are not revoked. */
  readonly keys: LimitAndActual;
  readonly names: LimitAndActual;
}

/** A quota of publications is used up. */
export type PublicationQuotaExceeded = Refusal<'quota_exceeded'> & {
  readonly rule: 'sites' | 'bytes' | 'names';
};

/** The account has as many API keys as it may have. */
export type KeyQuotaExceeded = Refusal<'quota_exceeded'> & { readonly rule: 'keys' };

/** The account has as many names as it may have. */
export type NameQuotaExceeded = Refusal<'quota_exceeded'> & { readonly rule: 'names' };

/** Why a request was refused, each with what it tells: what a caller did or met, never what broke. */
export interface Refusals {
  /** The account reads and changes nothing. */
  readonly account_blocked: { readonly reason: string };
  readonly archive_too_large: { readonly limit: number };
  /** The feed no longer has what follows the cursor; it begins at `oldest`. */
  readonly cursor_expired: { readonly oldest: string };
  readonly forbidden: NoDetails;
  /** The first request may have ended at `retryAt`. */
  readonly idempotency_in_progress: { readonly retryAt: Instant };
  readonly idempotency_mismatch: NoDetails;
  /** An account that is being erased, or has what stays of one, is not changed; one account is never erased. */
  readonly invalid_account: { readonly state: 'erased' | 'erasing' | 'never_erased' };
  /** `omitted` is the number of further problems, which are not listed; absent means 0. */
  readonly invalid_archive: { readonly problems: readonly ArchiveProblem[]; readonly omitted?: number };
  readonly invalid_cursor: NoDetails;
  readonly invalid_filename: NoDetails;
  readonly invalid_idempotency_key: RuleDetails<IdempotencyKeyRules>;
  readonly invalid_name: NoDetails;
  readonly invalid_password: RuleDetails<PasswordRules>;
  readonly invalid_state: { readonly state: 'archive_removed' | 'deleted' | 'expired' | 'pinned' };
  readonly invalid_title: RuleDetails<TitleRules>;
  readonly not_found: NoDetails;
  readonly quota_exceeded: RuleDetails<QuotaRules>;
  /** One publication more would pass at `retryAt`. */
  readonly rate_limited: { readonly retryAt: Instant };
  /** The service changes nothing for now; the message is what its operator says of it, if anything. */
  readonly read_only: { readonly message: string | null };
  /** The key was revoked or the session has ended since the request began. */
  readonly unauthorized: NoDetails;
  /** The embedding team's own no, which brings its words. */
  readonly refused_by_host: {
    readonly rule: `host:${string}`;
    readonly words: Readonly<Record<string, string>> & { readonly en: string };
  };
}

/** Why a request was refused, as a closed list of names. */
export type RefusalCode = keyof Refusals;

/** An expected "no", returned and never thrown: data that doors find words for. */
export type Refusal<Code extends RefusalCode = RefusalCode> = {
  [Each in Code]: { readonly kind: 'refused'; readonly code: Each } & Refusals[Each];
}[Code];

export function isRefusal<Value>(value: Value): value is Extract<Value, { readonly kind: 'refused' }> {
  return (value as { readonly kind?: unknown } | null | undefined)?.kind === 'refused';
}
