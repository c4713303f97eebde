import type { Refusal } from '../refusal.ts';
import type { Branded } from './brand.ts';
import type { Filename, IdempotencyKey } from './idempotency.ts';
import type { AccountId, ArchiveId, RoleId } from './identity.ts';
import { after, type Instant } from './instant.ts';
import type { Limits } from './limits.ts';
import type { PasswordHash } from './password.ts';
import type { Title } from './title.ts';

/** Counts the times all viewers were cut off; a grant is good for one generation only. */
export type Generation = Branded<number, 'Generation'>;

/** The generation of a role nobody was cut off from yet. */
export const FIRST_GENERATION: Generation = 1 as Generation;

/**
 * Reads a generation written as a whole number; `undefined` when it is none.
 *
 * @example
 * import { parseGeneration } from '@pinfold/core/adapter';
 *
 * parseGeneration('3'); // 3
 * parseGeneration('0'); // undefined
 */
export function parseGeneration(text: string): Generation | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as Generation) : undefined;
}

/** A published item. Its state is derived from it and the time, never stored. */
export interface Role {
  readonly id: RoleId;
  readonly account: AccountId;
  readonly archive: ArchiveId;
  readonly idempotencyKey: IdempotencyKey;
  readonly title: Title | null;
  readonly originalFilename: Filename;
  /** Files of the site; folders and what operating systems add are not counted. */
  readonly fileCount: number;
  /** Bytes of those files, expanded. */
  readonly size: number;
  readonly publishedAt: Instant;
  /** Null while pinned: a pinned role does not expire. */
  readonly expiresAt: Instant | null;
  readonly pinned: boolean;
  readonly deletedAt: Instant | null;
  readonly passwordHash: PasswordHash | null;
  readonly generation: Generation;
}

/** The state of a role at a moment (docs/design-decisions.md#state-is-derived-never-stored). */
export type RoleState = 'published' | 'expired' | 'deleted';

/** What a role can be told to do. Values in it have been proved, and a password has been hashed. */
export type RoleCommand =
  | { readonly type: 'set_title'; readonly title: Title | null }
  | { readonly type: 'set_password'; readonly hash: PasswordHash | null }
  | { readonly type: 'reset_expiration' }
  | { readonly type: 'pin' }
  | { readonly type: 'unpin' }
  | { readonly type: 'stop' };

/** A decision: the role as it is now, the very same object when nothing changed. */
export interface Decided {
  readonly kind: 'decided';
  readonly role: Role;
}

/**
 * The state at `now`: a role whose expiration is now or earlier is expired.
 *
 * @example
 * import { instant, stateOf } from '@pinfold/core';
 *
 * stateOf({ deletedAt: null, expiresAt: instant(1_000) }, instant(1_000)); // 'expired'
 */
export function stateOf(role: Pick<Role, 'deletedAt' | 'expiresAt'>, now: Instant): RoleState {
  if (role.deletedAt !== null) return 'deleted';
  if (role.expiresAt !== null && role.expiresAt <= now) return 'expired';
  return 'published';
}

/**
 * The state machine: what `command` makes of `role` at `now`, or why it is refused
 * (docs/design-decisions.md#a-change-is-decided-against-the-newest-state).
 *
 * @example
 * import { decide, defaultLimits, type Instant, type Role } from '@pinfold/core';
 *
 * declare const role: Role;
 * declare const now: Instant;
 *
 * const outcome = decide(role, { type: 'reset_expiration' }, now, defaultLimits);
 * if (outcome.kind === 'decided') console.log(outcome.role.expiresAt);
 * else console.log(outcome.state);
 */
export function decide(
  role: Role,
  command: RoleCommand,
  now: Instant,
  limits: Pick<Limits, 'renewal'>,
): Decided | Refusal<'invalid_state'> {
  const state = stateOf(role, now);
  if (state === 'deleted') return { kind: 'refused', code: 'invalid_state', state };
  if (command.type === 'stop') {
    return decided({ ...role, deletedAt: now, generation: next(role.generation) });
  }
  if (state === 'expired') return { kind: 'refused', code: 'invalid_state', state };
  switch (command.type) {
    case 'set_title':
      return decided({ ...role, title: command.title });
    case 'set_password':
      return decided({ ...role, passwordHash: command.hash, generation: next(role.generation) });
    case 'reset_expiration':
      if (role.pinned) return { kind: 'refused', code: 'invalid_state', state: 'pinned' };
      return decided({ ...role, expiresAt: after(now, limits.renewal), generation: next(role.generation) });
    case 'pin':
      return decided(role.pinned ? role : { ...role, pinned: true, expiresAt: null });
    case 'unpin':
      return decided(role.pinned ? { ...role, pinned: false, expiresAt: after(now, limits.renewal) } : role);
    default:
      return command satisfies never;
  }
}

function decided(role: Role): Decided {
  return { kind: 'decided', role };
}

function next(generation: Generation): Generation {
  return (generation + 1) as Generation;
}
