import type { Refusal } from '../refusal.ts';
import { type AccountId, parseRoleId, type RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { RoleState } from './role.ts';

/** A place in a list of roles, newest first: behind the role of that instant and id. */
export interface RoleCursor {
  readonly publishedAt: Instant;
  readonly id: RoleId;
}

/** What a list was filtered by; a cursor is good under the same filter only. */
export interface RoleFilter {
  /** Absent: every account. */
  readonly account: AccountId | undefined;
  readonly state: RoleState | undefined;
  /** A folded text to be found in the title or the id. */
  readonly search: string | undefined;
}

const CURSOR = /^([0-9a-z]{1,11})\.([0-9a-f-]{36})\.([0-9a-z]+)$/;

/** Writes a cursor as text that is safe in a URL. */
export function encodeCursor(cursor: RoleCursor, filter: RoleFilter): string {
  return `${cursor.publishedAt.toString(36)}.${cursor.id}.${filterMark(filter)}`;
}

/** Reads a cursor that was made under the same filter. */
export function decodeCursor(text: string, filter: RoleFilter): RoleCursor | Refusal<'invalid_cursor'> {
  const [, at = '', uuid = '', mark] = CURSOR.exec(text) ?? [];
  const publishedAt = Number.parseInt(at, 36);
  const id = parseRoleId(uuid);
  if (!Number.isSafeInteger(publishedAt) || id === undefined || mark !== filterMark(filter)) {
    return { kind: 'refused', code: 'invalid_cursor' };
  }
  return { publishedAt: publishedAt as Instant, id };
}

function filterMark({ account, state, search }: RoleFilter): string {
  return markOf([account ?? null, state ?? null, search ?? null]);
}

/** FNV-1a over a filter: it tells filters apart, and protects nothing. */
export function markOf(filter: readonly unknown[]): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(filter)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
