import type { Refusal } from '../refusal.ts';
import { type AccountId, parseRoleId, type RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { RoleState } from './role.ts';

/** An order of roles: those that end soonest first, or those with the largest archive. */
export type RoleOrder = 'ending' | 'largest';

/** A place in a list of roles, the greatest rank first: behind the role of that rank and id. */
export interface RoleCursor {
  /** A whole number from 0 on; what it counts depends on the order. */
  readonly rank: number;
  readonly id: RoleId;
}

/** The filter of a list of roles, and its order. */
export interface RoleFilter {
  /** Absent: every account. */
  readonly account: AccountId | undefined;
  /** Absent: all but deleted ones. */
  readonly state: RoleState | undefined;
  /** A text folded by the core, to be found in the folded title or in the id. */
  readonly search: string | undefined;
  /** Absent: newest first. Others need an index only with an account, and for roles that are not deleted. */
  readonly order: RoleOrder | undefined;
}

export interface CursorCodec<Place> {
  /** The text is safe in a URL. */
  encode(place: Place): string;
  /** Refuses a text of another list or of another filter. */
  decode(text: string): Place | Refusal<'invalid_cursor'>;
}

/** Reads each member of a place from its text; `undefined` for a wrong text. */
export type PlaceReaders<Place> = {
  readonly [Member in keyof Place]: (text: string) => Place[Member] | undefined;
};

/** A codec for the list and values that `filter` names. Members of a place have no `.` and nothing a URL escapes. */
export function cursorCodec<Place extends object>(
  readers: PlaceReaders<Place>,
  filter: readonly unknown[],
): CursorCodec<Place> {
  const members = Object.keys(readers) as (keyof Place)[];
  const mark = fnv1a(filter);
  const encode = (place: Place): string => [...members.map((member) => place[member]), mark].join('.');
  return {
    encode,
    decode(text) {
      const parts = text.split('.');
      const values = members.map((member, at) => readers[member](parts[at] ?? ''));
      const place = Object.fromEntries(members.map((member, at) => [member, values[at]])) as Place;
      const isOwn = !values.includes(undefined) && encode(place) === text;
      return isOwn ? place : { kind: 'refused', code: 'invalid_cursor' };
    },
  };
}

export function roleCursors(filter: RoleFilter): CursorCodec<RoleCursor> {
  return cursorCodec({ rank: readInstant, id: parseRoleId }, ['roles', filter]);
}

export function readInstant(text: string): Instant | undefined {
  const at = Number(text);
  return Number.isSafeInteger(at) && at >= 0 ? (at as Instant) : undefined;
}

/** FNV-1a: tells values apart, and protects nothing. */
export function fnv1a(values: readonly unknown[]): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(values)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
