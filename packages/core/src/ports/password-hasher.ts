import type { Password, PasswordHash } from '../domain/password.ts';

/**
 * Hashes passwords slowly, off the event loop, a few at a time. Clients take turns: the account that sets a password, or the
 * address that tries it.
 *
 * Faults: `hasher_overloaded` when the queue is full; `store_corrupt` for a hash that it cannot read.
 */
export interface PasswordHasher {
  /** The number that run and wait, for metrics; absent without a queue. */
  readonly queue?: { readonly running: number; readonly waiting: number };

  /**
   * @promise password-hasher/verify: the password verifies against its hash, and no password with another byte does
   * @promise password-hasher/salt: the same password has another hash each time, and no hash contains it
   * @promise password-hasher/aborted: an aborted signal rejects with its reason
   */
  hash(password: Password, client: string, signal?: AbortSignal): Promise<PasswordHash>;

  /**
   * @promise password-hasher/foreign: a text that is not a hash of this hasher is the fault store_corrupt
   * @promise password-hasher/turns: a client that brings many passwords at once neither delays another by all of them, nor makes it refused
   */
  verify(password: Password, hash: PasswordHash, client: string, signal?: AbortSignal): Promise<boolean>;
}
