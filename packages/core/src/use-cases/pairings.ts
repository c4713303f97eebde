import type { Unchangeable } from '../domain/admission.ts';
import type { Scope } from '../domain/api-key.ts';
import type { Cause, Origin } from '../domain/history.ts';
import type { Sha256 } from '../domain/idempotency.ts';
import { accountId } from '../domain/identity.ts';
import { after, minutes } from '../domain/instant.ts';
import { type Pairing, pairingCode } from '../domain/pairing.ts';
import type { Clock } from '../ports/clock.ts';
import type { PairingStore } from '../ports/pairing-store.ts';
import type { SessionSecrets } from '../ports/session-secrets.ts';
import type { Keys, MintedKey } from './keys.ts';

/** What a person agrees to. */
export interface NewPairing {
  /** The SHA-256 of the program's secret. */
  readonly secretHash: string;
  readonly account: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  /** Who agrees. */
  readonly cause: Cause;
}

/**
 * Gives a program a key that a person agrees to on the management screen. The program makes a secret and shows eight
 * characters of its hash; the person compares them and agrees; the program, which asks again and again, gets a key.
 */
export interface Pairings {
  /**
   * Agrees that whoever has the secret gets a key within ten minutes; `unknown` when the hash is none.
   *
   * @throws TypeError when the key would administer, or do nothing.
   */
  agree(wish: NewPairing): Promise<{ readonly kind: 'agreed' } | { readonly kind: 'unknown' }>;

  /**
   * The key for a secret, once; `undefined` while nobody has agreed, and when it is none. Where the account may change
   * nothing it is refused, and what was agreed to stays.
   */
  redeem(secret: string, origin?: Origin): Promise<MintedKey | Unchangeable | undefined>;
}

/** The ports that pairings need. */
export interface PairingPorts {
  readonly pairings: PairingStore;
  readonly sessionSecrets: SessionSecrets;
  readonly clock: Clock;
}

const PURGED_AT_ONCE = 100;
const GOOD_FOR = minutes(10);

/**
 * Puts the pairing of programs together.
 *
 * @example
 * import type { Keys, PairingPorts } from '@pinfold/core';
 * import { createPairings } from '@pinfold/core/accounts';
 *
 * declare const ports: PairingPorts;
 * declare const keys: Keys;
 *
 * const pairings = createPairings(ports, keys);
 * const { text: secret, hash: secretHash } = ports.sessionSecrets.mint();
 * const cause = { actor: { kind: 'person', id: 'ada' } } as const;
 * await pairings.agree({ secretHash, account: 'ada', scopes: ['pins:write'], label: 'Laptop', cause });
 * const made = await pairings.redeem(secret);
 * if (made !== undefined && 'text' in made) console.log(made.text);
 */
export function createPairings({ pairings, sessionSecrets, clock }: PairingPorts, keys: Keys): Pairings {
  return {
    async agree({ secretHash, account, scopes, label, cause: { actor } }) {
      if (scopes.length === 0 || scopes.includes('admin')) {
        throw new TypeError('a program gets a key that does something, and does not administer');
      }
      if (pairingCode(secretHash) === undefined) return { kind: 'unknown' };
      const now = clock.now();
      await pairings.purge(now, PURGED_AT_ONCE);
      const pairing: Pairing = {
        secretHash: secretHash as Sha256,
        account: accountId(account),
        scopes,
        label,
        actor,
        endsAt: after(now, GOOD_FOR),
      };
      // Whoever agrees twice means the first.
      await pairings.agree(pairing);
      return { kind: 'agreed' };
    },
    async redeem(secret, origin = {}) {
      const hash = sessionSecrets.read(secret);
      if (hash === undefined || (await pairings.find(hash, clock.now())) === undefined) return undefined;
      const pairing = await pairings.take(hash, clock.now());
      if (pairing === undefined) return undefined;
      const { account, scopes, label, actor } = pairing;
      const made = await keys.create({ account, scopes, label, cause: { actor, ...origin } });
      if ('code' in made) await pairings.agree(pairing);
      return made;
    },
  };
}
