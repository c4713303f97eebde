import type { Credential } from '../domain/actor.ts';
import type { Unchangeable } from '../domain/admission.ts';
import { type Consent, PAIRING_LIFETIME, PAIRING_LIMIT, pairingCode } from '../domain/api-key.ts';
import { type Cause, eventOf, type Origin, unattributed } from '../domain/history.ts';
import { accountId, type Sha256 } from '../domain/identity.ts';
import { after } from '../domain/instant.ts';
import { expectStorable } from '../domain/text.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { isRefusal, type KeyQuotaExceeded, type Refusal } from '../refusal.ts';
import type { Keys, MintedKey } from './keys.ts';

/** A person's consent. */
export interface NewConsent extends Pick<Consent, 'scopes' | 'label'> {
  /** The SHA-256 of the program's secret. */
  readonly secretHash: string;
  readonly account: string;
  readonly cause: Cause;
  /** The actor's session and key, whose end also ends the consent. Absent if an embedding team has its own. */
  readonly credential?: Credential;
}

/** The outcome of a program's poll. */
export type PairingOutcome =
  | ({ readonly kind: 'made' } & MintedKey)
  /** There is no consent yet, or it ended with its session or key. */
  | { readonly kind: 'waiting' }
  /** The secret is malformed, unregistered or used, or its ten minutes are over. */
  | { readonly kind: 'unknown' }
  | Unchangeable
  | KeyQuotaExceeded;

/**
 * Gives a program a key to which a person consents on the management screen. The program makes a secret, registers its hash
 * and shows eight characters of it; the person compares them and consents; the program polls until it gets the key.
 */
export interface Pairings {
  /** Registers a secret's SHA-256 for ten minutes; `unknown` for any other text, `full` while too many programs wait. */
  register(secretHash: string): Promise<{ readonly kind: 'registered' | 'unknown' | 'full' }>;

  isRegistered(secretHash: string): Promise<boolean>;

  /**
   * Stores the consent that a program gets a key; `unknown` if its hash is not registered. A further consent in one session
   * replaces the one before. Refused while the account has too many keys.
   *
   * @throws TypeError without a scope, and for the scope `admin`; for a label or cause with NUL or half a surrogate pair.
   */
  agree(
    newConsent: NewConsent,
  ): Promise<{ readonly kind: 'agreed' | 'unknown' } | KeyQuotaExceeded | Refusal<'unauthorized'>>;

  /** Creates the key for a secret, once. The consent remains valid after a refusal for a block or the key limit, or a fault. */
  redeem(secret: string, origin?: Origin): Promise<PairingOutcome>;
}

/** The ports of `createPairings`. */
export type PairingPorts = Pick<AllPorts, 'pairings' | 'sessionSecrets' | 'apiKeySecrets' | 'clock' | 'ids'>;

/**
 * Creates the pairing of programs.
 *
 * @example
 * import type { Keys, PairingPorts } from '@pinfold/core';
 * import { createPairings } from '@pinfold/core/accounts';
 *
 * declare const ports: PairingPorts;
 * declare const keys: Keys;
 *
 * const pairings = createPairings(ports, keys);
 * const { text: secret, hash: secretHash } = await ports.sessionSecrets.mint();
 * await pairings.register(secretHash);
 * const cause = { actor: { kind: 'person', id: 'ada' } } as const;
 * await pairings.agree({ secretHash, account: 'ada', scopes: ['pins:write'], label: 'Laptop', cause });
 * const outcome = await pairings.redeem(secret);
 * if (outcome.kind === 'made') console.log(outcome.text);
 */
export function createPairings(ports: PairingPorts, keys: Keys): Pairings {
  const { pairings, sessionSecrets, apiKeySecrets, clock, ids } = ports;
  return {
    async register(secretHash) {
      if (pairingCode(secretHash) === undefined) return { kind: 'unknown' };
      const now = clock.now();
      const registration = { secretHash: secretHash as Sha256, now, endsAt: after(now, PAIRING_LIFETIME) };
      return await pairings.register({ ...registration, limit: PAIRING_LIMIT });
    },
    async isRegistered(secretHash) {
      if (pairingCode(secretHash) === undefined) return false;
      return (await pairings.find(secretHash as Sha256, clock.now())) !== undefined;
    },
    async agree({ secretHash, account: name, scopes, label, cause, credential = {} }) {
      if (scopes.length === 0 || scopes.includes('admin')) {
        throw new TypeError('a program gets a key that does something, and does not administer');
      }
      if (pairingCode(secretHash) === undefined) return { kind: 'unknown' };
      const account = accountId(name);
      const refusal = await keys.checkLimit(account);
      if (refusal !== undefined) return refusal;
      const now = clock.now();
      const { session = null, key: apiKey = null } = credential;
      const consent: Consent = {
        account,
        scopes,
        label: expectStorable(label, 'a label'),
        actor: cause.actor,
        session,
        apiKey,
      };
      const event = eventOf(ids, { type: 'key.agreed', at: now }, cause, account);
      const outcome = await pairings.agree(secretHash as Sha256, consent, now, [event], credential);
      if (isRefusal(outcome)) return outcome;
      // A second approval of the same program is ignored.
      return { kind: outcome.kind === 'unknown' ? 'unknown' : 'agreed' };
    },
    async redeem(secret, origin) {
      const secretHash = await sessionSecrets.read(secret);
      if (secretHash === undefined) return { kind: 'unknown' };
      const pairing = await pairings.find(secretHash, clock.now());
      if (pairing === undefined) return { kind: 'unknown' };
      if (pairing.consent === null) return { kind: 'waiting' };
      for (;;) {
        const { id, secretHash: keyHash, text } = await apiKeySecrets.mint();
        const now = clock.now();
        const unused = { lastUsedAt: null, revokedAt: null, isEnsured: false };
        const key = { id, secretHash: keyHash, createdAt: now, ...unused };
        const event = unattributed(ids, { type: 'key.created', at: now }, origin);
        const outcome = await pairings.take({ secretHash, now, key, limit: keys.limit }, [event]);
        if (outcome.kind === 'created') return { kind: 'made', key: outcome.key, text };
        if (outcome.kind === 'refused') return outcome;
        // Tries again with another id if this one exists.
        if (outcome.kind !== 'exists') return { kind: outcome.kind };
      }
    },
  };
}
