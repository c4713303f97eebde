import type { Credential } from '../domain/actor.ts';
import type { Unchangeable } from '../domain/admission.ts';
import type { ApiKey, Consent, Pairing } from '../domain/api-key.ts';
import type { HistoryEvent, UnattributedEvent } from '../domain/history.ts';
import type { Sha256 } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { KeyQuotaExceeded, Refusal } from '../refusal.ts';

/** A program that asks for a key. */
export interface Registration extends Pick<Pairing, 'secretHash' | 'endsAt'> {
  readonly now: Instant;
  /** The maximum number of pairings that may be under way. */
  readonly limit: number;
}

/** A program's request for its key. */
export interface PairingRedemption extends Pick<Pairing, 'secretHash'> {
  readonly now: Instant;
  /** The members of the key that do not come from the consent. */
  readonly key: Omit<ApiKey, 'account' | 'scopes' | 'label'>;
  /** The maximum number of keys of an account that are not revoked; null: no limit. */
  readonly limit: number | null;
}

/**
 * Stores programs that ask for a key, and consents, until the program gets its key. Only pairings need it. Requests bring the
 * time. A write stores its events in the same step. A pairing that ends over an hour later than one registered now comes from
 * a clock that was ahead, and counts as ended.
 */
export interface PairingStore {
  /**
   * Stores a program that asks for a key. One that is stored already stays unchanged until it ends.
   * @promise pairing-store/register: every peer finds a registered program until it ends
   * @promise pairing-store/register-limit: concurrent calls store as many pairings as the limit allows; ended ones do not count
   */
  register(request: Registration): Promise<{ readonly kind: 'registered' | 'full' }>;

  /**
   * Stores a consent. It replaces an earlier one of its session or, without a session, of its account and actor; the program
   * of that one waits again. `credential` is the person's.
   * @promise pairing-store/agree: every peer sees a consent, with every field, and its events
   * @promise pairing-store/agree-once: of many concurrent calls one stores its consent for a hash, which remains while its session and key are valid; the others leave no events
   * @promise pairing-store/agree-replaces: a session has one consent, the last one; those of other sessions, accounts and actors remain
   * @promise pairing-store/agree-credential: a consent is not stored once the key or session of its person has ended or is gone
   * @promise pairing-store/agree-unknown: a consent is not stored for a program that did not register or has ended
   */
  agree(
    secretHash: Sha256,
    consent: Consent,
    now: Instant,
    events: readonly HistoryEvent[],
    credential?: Credential,
  ): Promise<{ readonly kind: 'agreed' | 'exists' | 'unknown' } | Refusal<'unauthorized'>>;

  /** @promise pairing-store/find: a pairing is found until it ends; hashes are compared exactly, and an unknown one is undefined */
  find(secretHash: Sha256, now: Instant): Promise<Pairing | undefined>;

  /**
   * Creates the key of the consent and drops the pairing, in one step; `waiting` while no consent is in force.
   * @promise pairing-store/take-once: of many concurrent calls exactly one creates the key, with account, scopes and label of the consent, and events with its account and actor; then no peer finds the pairing
   * @promise pairing-store/take-ended: a pairing that has ended, or was not registered, is unknown
   * @promise pairing-store/take-alive: a consent whose session has ended, or whose key or key of the session was revoked, creates no key
   * @promise pairing-store/take-refused: a taken id, a reached limit, a blocked account and a read-only service create no key, and keep the pairing and its consent
   */
  take(
    request: PairingRedemption,
    events: readonly UnattributedEvent[],
  ): Promise<
    | { readonly kind: 'created'; readonly key: ApiKey }
    | { readonly kind: 'exists' | 'waiting' | 'unknown' }
    | Unchangeable
    | KeyQuotaExceeded
  >;

  /**
   * Drops pairings that ended by an instant, at most `limit`; returns how many.
   * @promise pairing-store/purge: ended pairings are removed, at most the limit, and others remain
   */
  purge(endedBy: Instant, limit: number): Promise<number>;
}
