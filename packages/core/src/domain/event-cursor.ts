import type { Refusal } from '../refusal.ts';
import { markOf } from './cursor.ts';
import type { EventCursor, EventId } from './history.ts';
import { type AccountId, parseRoleId, type RoleId } from './identity.ts';
import type { Instant } from './instant.ts';

/** What a walk through the history was filtered by; a cursor is good under the same filter only. */
export interface EventFilter {
  readonly account: AccountId | undefined;
  readonly pin: RoleId | undefined;
  readonly since: Instant | undefined;
}

const CURSOR = /^([0-9a-z]{1,11})\.([0-9a-f-]{36})\.([0-9a-z]+)$/;

/** Writes a cursor as text that is safe in a URL. */
export function encodeEventCursor({ at, id }: EventCursor, filter: EventFilter): string {
  return `${at.toString(36)}.${id}.${mark(filter)}`;
}

/** Reads a cursor that was made under the same filter. */
export function decodeEventCursor(
  text: string,
  filter: EventFilter,
): EventCursor | Refusal<'invalid_cursor'> {
  const [, instant = '', uuid = '', marked] = CURSOR.exec(text) ?? [];
  const at = Number.parseInt(instant, 36);
  if (!Number.isSafeInteger(at) || parseRoleId(uuid) === undefined || marked !== mark(filter)) {
    return { kind: 'refused', code: 'invalid_cursor' };
  }
  return { at: at as Instant, id: uuid as EventId };
}

function mark({ account, pin, since }: EventFilter): string {
  return markOf(['events', account ?? null, pin ?? null, since ?? null]);
}
