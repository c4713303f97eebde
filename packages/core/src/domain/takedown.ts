import { type CursorCodec, cursorCodec, readInstant } from './cursor.ts';
import { type AccountId, parseRoleId, type RoleId, SHA256, type Sha256 } from './identity.ts';
import type { Instant } from './instant.ts';
import type { Generation, Role } from './role.ts';

/** A publication that was taken down. Its archive may not be published again until the takedown is lifted. */
export interface Takedown {
  readonly id: RoleId;
  readonly account: AccountId;
  /** SHA-256 of its ZIP. */
  readonly sha256: Sha256;
  readonly reason: string;
  readonly at: Instant;
  /** When the takedown was lifted; null if it was not. */
  readonly liftedAt: Instant | null;
}

/** A place in the list of takedowns, which has the newest first: after the one with these members. */
export type TakedownCursor = Pick<Takedown, 'at' | 'id' | 'sha256'>;

/** Reads a SHA-256 in hexadecimal digits of any case; `undefined` for anything else. */
export function parseSha256(text: string): Sha256 | undefined {
  const lower = text.toLowerCase();
  return SHA256.test(lower) ? (lower as Sha256) : undefined;
}

/** Stops a role for a takedown, in any state; the same object if it was stopped already. */
export function takenDown(role: Role, at: Instant): Role {
  if (role.deletedAt !== null) return role;
  return { ...role, deletedAt: at, generation: (role.generation + 1) as Generation };
}

export const takedownCursors: CursorCodec<TakedownCursor> = cursorCodec<TakedownCursor>(
  {
    at: readInstant,
    id: parseRoleId,
    sha256: parseSha256,
  },
  ['takedowns'],
);
