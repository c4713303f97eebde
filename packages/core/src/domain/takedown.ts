import type { Refusal } from '../refusal.ts';
import type { Sha256 } from './idempotency.ts';
import { type AccountId, parseRoleId, type RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { Generation, Role } from './role.ts';

/** A publication that was taken down, whose archive nobody may publish from then on. */
export interface Takedown {
  readonly id: RoleId;
  readonly account: AccountId;
  /** SHA-256 of its ZIP. */
  readonly sha256: Sha256;
  readonly reason: string;
  readonly at: Instant;
  /** From when its archive may be published again; null while it may not. */
  readonly liftedAt: Instant | null;
}

/** A place in the list of takedowns, newest first: behind the one of that instant, publication and archive. */
export type TakedownCursor = Pick<Takedown, 'at' | 'id' | 'sha256'>;

const CURSOR = /^([0-9a-z]{1,11})\.([0-9a-f-]{36})\.([0-9a-f]{0,64})$/;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Reads a SHA-256 in hexadecimal digits of any case; `undefined` when it is none.
 *
 * @example
 * import { parseSha256 } from '@pinfold/core/administration';
 *
 * parseSha256('spring'); // undefined
 */
export function parseSha256(text: string): Sha256 | undefined {
  const lower = text.toLowerCase();
  return SHA256.test(lower) ? (lower as Sha256) : undefined;
}

/** The role once it was taken down: stopped, whatever its state was; the very same object when it was stopped before. */
export function takenDown(role: Role, at: Instant): Role {
  if (role.deletedAt !== null) return role;
  return { ...role, deletedAt: at, generation: (role.generation + 1) as Generation };
}

/** Writes a cursor as text that is safe in a URL. */
export function encodeTakedownCursor({ at, id, sha256 }: TakedownCursor): string {
  return `${at.toString(36)}.${id}.${sha256}`;
}

/** Reads what {@link encodeTakedownCursor} wrote. */
export function decodeTakedownCursor(text: string): TakedownCursor | Refusal<'invalid_cursor'> {
  const [, instant = '', uuid = '', sha256 = ''] = CURSOR.exec(text) ?? [];
  const at = Number.parseInt(instant, 36);
  const id = parseRoleId(uuid);
  if (!Number.isSafeInteger(at) || id === undefined) return { kind: 'refused', code: 'invalid_cursor' };
  return { at: at as Instant, id, sha256: sha256 as Sha256 };
}
