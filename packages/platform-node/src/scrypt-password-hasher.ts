import { createHash } from 'node:crypto';
import { Fault, type Password, type PasswordHash, type PasswordHasher } from '@pinfold/core';
import { raceSignal, Semaphore } from '@pinfold/core/adapter';
import * as scryptKdf from 'scrypt-kdf';

/** The cost of one scrypt computation (RFC 7914, section 2). */
export interface ScryptCost {
  /** Binary logarithm of the cost parameter N. */
  readonly logN: number;
  /** Block size. */
  readonly r: number;
  /** Parallelisation. */
  readonly p: number;
}

/** Options of {@link ScryptPasswordHasher}. */
export interface ScryptPasswordHasherOptions {
  /**
   * The cost of new hashes. Default: {@link SCRYPT_COST}. Fixed instead of measured, so that it is the same on every
   * node.
   */
  readonly cost?: ScryptCost | undefined;
  /** Passwords to hash at the same time. Default: 2, half of Node's thread pool, which also serves files. */
  readonly parallel?: number | undefined;
  /**
   * Passwords that may wait; clients take turns. Default: 64, about 10 s. Beyond it, the last one of the busiest
   * client fails.
   */
  readonly waiting?: number | undefined;
}

/** The first of OWASP's equivalent settings for scrypt: N = 2^17, r = 8, p = 1, which is 128 MiB and some 0.3 s. */
export const SCRYPT_COST: ScryptCost = { logN: 17, r: 8, p: 1 };

/**
 * A stored hash may cost this many times the current cost. Higher ones are refused, because a manipulated text could
 * exhaust the server.
 */
const MARGIN = 2;

/** The package's types declare named exports, but at run time it has only a default export. */
const scrypt = (scryptKdf as unknown as { readonly default: typeof scryptKdf }).default;

const HEADER = /^scrypt\0$/;
const HEADER_BYTES = 96;

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
    this.#gate = new Semaphore({
      places: options.parallel ?? 2,
      queue: options.waiting ?? 64,
      overloaded: createOverloadFault,
    });
  }

  /** The number of passwords that are being hashed, and that wait. */
  get queue(): { readonly running: number; readonly waiting: number } {
    return this.#gate;
  }

  async hash(password: Password, client: string, signal?: AbortSignal): Promise<PasswordHash> {
    const key = await this.#inTurn(client, () => scrypt.kdf(digest(password), this.#cost), signal);
    return Buffer.from(key).toString('base64') as PasswordHash;
  }

  async verify(
    password: Password,
    hash: PasswordHash,
    client: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    signal?.throwIfAborted();
    const parsed = parseKey(hash);
    if (parsed === undefined || !this.#isAffordable(parsed.cost)) {
      throw new Fault('store_corrupt', 'a stored password hash cannot be read');
    }
    return this.#inTurn(client, () => scrypt.verify(parsed.key, digest(password)), signal);
  }

  /** Rejects at once on an abort, but a running hash keeps its place, because it cannot be cancelled. */
  #inTurn<Result>(client: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return raceSignal(this.#gate.run(client, task, signal), signal);
  }

  #isAffordable(cost: ScryptCost): boolean {
    const { logN, r, p } = cost;
    const memory = MARGIN * Math.max(memoryOf(this.#cost), memoryOf(SCRYPT_COST));
    const work = MARGIN * Math.max(workOf(this.#cost), workOf(SCRYPT_COST));
    return logN >= 1 && r >= 1 && p >= 1 && memoryOf(cost) <= memory && workOf(cost) <= work;
  }
}

function createOverloadFault(): Fault {
  return new Fault('hasher_overloaded', 'too many passwords wait to be hashed');
}

/**
 * Hashed first, because HMAC pads a short key with zeros: a password would equal itself with NUL characters appended.
 */
function digest(password: Password): Uint8Array {
  return createHash('sha256').update(password.normalize('NFC'), 'utf8').digest();
}

/**
 * Parses a hash and checks its checksum; `undefined` for any other text. Does not compute anything, because
 * the cost in the text may be enormous.
 */
function parseKey(text: string): { readonly key: Uint8Array; readonly cost: ScryptCost } | undefined {
  if (text.length !== (HEADER_BYTES / 3) * 4) return undefined;
  const key = Buffer.from(text, 'base64');
  if (key.length !== HEADER_BYTES || key.toString('base64') !== text) return undefined;
  if (!HEADER.test(key.toString('latin1', 0, 7))) return undefined;
  const checksum = createHash('sha256').update(key.subarray(0, 48)).digest().subarray(0, 16);
  if (!checksum.equals(key.subarray(48, 64))) return undefined;
  return { key, cost: scrypt.viewParams(key) };
}

/** The memory of one computation, in bytes. */
function memoryOf(cost: ScryptCost): number {
  return 128 * 2 ** cost.logN * cost.r;
}

/** The work of one computation, in mixed blocks. */
function workOf(cost: ScryptCost): number {
  return 2 ** cost.logN * cost.r * cost.p;
}
