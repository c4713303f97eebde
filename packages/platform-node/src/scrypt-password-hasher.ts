import { createHash } from 'node:crypto';
import { Fault, type Password, type PasswordHash, type PasswordHasher } from '@pinfold/core';
import { raceSignal, Semaphore } from '@pinfold/core/adapter';
import { deriveKey, matchesKey, memoryOf, parseKey, type ScryptCost, workOf } from './scrypt-key.ts';

/** Options of {@link ScryptPasswordHasher}. */
export interface ScryptPasswordHasherOptions {
  /** Cost of each new hash; {@link SCRYPT_COST} when absent. Fixed, not measured: every node makes the same. */
  readonly cost?: ScryptCost | undefined;
  /** Passwords hashed at the same time; 2 when absent, half of the threads that Node has for files too. */
  readonly parallel?: number | undefined;
  /** Passwords that may wait, clients in turn; 64 (about 10 s) when absent. Then the busiest client's last fails. */
  readonly waiting?: number | undefined;
}

/** The first of OWASP's equivalent settings for scrypt: N = 2^17, r = 8, p = 1, which is 128 MiB and some 0.3 s. */
export const SCRYPT_COST: ScryptCost = { logN: 17, r: 8, p: 1 };

/** How far a stored hash may be above the present cost, so that a stranger's text cannot exhaust the server. */
const MARGIN = 2;

/**
 * Hashes passwords with scrypt (RFC 7914) on Node's thread pool, two at a time.
 *
 * A hash is the base64 of a scrypt file header, which names its own salt and cost.
 *
 * @example
 * import { ScryptPasswordHasher } from '@pinfold/platform-node';
 *
 * const hasher = new ScryptPasswordHasher({ parallel: 2, waiting: 64 });
 */
export class ScryptPasswordHasher implements PasswordHasher {
  readonly #cost: ScryptCost;
  readonly #gate: Semaphore<string>;

  constructor(options: ScryptPasswordHasherOptions = {}) {
    this.#cost = options.cost ?? SCRYPT_COST;
    this.#gate = new Semaphore({ places: options.parallel ?? 2, queue: options.waiting ?? 64, overloaded });
  }

  /** How many passwords are hashed now, and how many wait. */
  get queue(): { readonly running: number; readonly waiting: number } {
    return this.#gate;
  }

  async hash(password: Password, client: string, signal?: AbortSignal): Promise<PasswordHash> {
    const hash = await this.#inTurn(client, () => deriveKey(digest(password), this.#cost), signal);
    return hash as PasswordHash;
  }

  async verify(
    password: Password,
    hash: PasswordHash,
    client: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    signal?.throwIfAborted();
    const parsed = parseKey(hash);
    if (parsed === undefined || !this.#isBearable(parsed.cost)) {
      throw new Fault('store_corrupt', 'a stored password hash cannot be read');
    }
    return this.#inTurn(client, () => matchesKey(parsed.key, digest(password)), signal);
  }

  /** An abort is noticed at once; a hash that has begun keeps its place, since it cannot be called back. */
  #inTurn<Result>(client: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return raceSignal(this.#gate.run(client, task, signal), signal);
  }

  #isBearable(cost: ScryptCost): boolean {
    const { logN, r, p } = cost;
    const memory = MARGIN * Math.max(memoryOf(this.#cost), memoryOf(SCRYPT_COST));
    const work = MARGIN * Math.max(workOf(this.#cost), workOf(SCRYPT_COST));
    return logN >= 1 && r >= 1 && p >= 1 && memoryOf(cost) <= memory && workOf(cost) <= work;
  }
}

function overloaded(): Fault {
  return new Fault('hasher_overloaded', 'too many passwords wait to be hashed');
}

/** HMAC fills up a short key with zeros: without the digest, a password with NUL characters after it is the same. */
function digest(password: Password): Uint8Array {
  return createHash('sha256').update(password.normalize('NFC'), 'utf8').digest();
}
