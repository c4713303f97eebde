import type { ArchiveProblem } from './domain/archive-problems.ts';
import type { IdempotencyKeyRules } from './domain/idempotency.ts';
import type { Instant } from './domain/instant.ts';
import type { PasswordRules } from './domain/password.ts';
import type { TitleRules } from './domain/text.ts';

/** A broken rule as data, of a map from each rule to its details. Doors have the words for it. */
export type RuleDetails<Rules> = {
  [Rule in keyof Rules]: { readonly rule: Rule } & Rules[Rule];
}[keyof Rules];

/** The rule has no details. */
export type NoDetails = unknown;

/** A limit, and the actual value. */
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

/** The reasons of refusals, with their data. */
export interface Refusals {
  /** The account may not change anything. */
  readonly account_blocked: { readonly reason: string };
  readonly archive_too_large: { readonly limit: number };
  /** The events after the cursor were dropped; the feed begins at `oldest`. */
  readonly cursor_expired: { readonly oldest: string };
  readonly forbidden: NoDetails;
  /** The first request may have ended by `retryAt`. */
  readonly idempotency_in_progress: { readonly retryAt: Instant };
  readonly idempotency_mismatch: NoDetails;
  /** The account is being erased, owns the remains of an erased one, or can never be erased. */
  readonly invalid_account: { readonly state: 'erased' | 'erasing' | 'never_erased' };
  /** `omitted` is the number of further problems; absent for 0. */
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
  /** One more publication would be admitted at `retryAt`. */
  readonly rate_limited: { readonly retryAt: Instant };
  /** The service is read-only; the message is the operator's, or null. */
  readonly read_only: { readonly message: string | null };
  /** The key was revoked or the session has ended since the request began. */
  readonly unauthorized: NoDetails;
  /** The embedding team's own refusal, with its words. */
  readonly refused_by_host: {
    readonly rule: `host:${string}`;
    readonly words: Readonly<Record<string, string>> & { readonly en: string };
  };
}

/** The codes of refusals. */
export type RefusalCode = keyof Refusals;

/** An expected failure: returned, never thrown. Doors have the words for its data. */
export type Refusal<Code extends RefusalCode = RefusalCode> = {
  [Each in Code]: { readonly kind: 'refused'; readonly code: Each } & Refusals[Each];
}[Code];

export function isRefusal<Value>(value: Value): value is Extract<Value, { readonly kind: 'refused' }> {
  return (value as { readonly kind?: unknown } | null | undefined)?.kind === 'refused';
}
