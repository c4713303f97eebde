import type { Refusal } from '../refusal.ts';
import { type AccountId, parseRoleId, type RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { RoleState } from './role.ts';

/** An order of roles: those that end soonest first, or those with the largest archive. */
export type RoleOrder = 'ending' | 'largest';

/** A place in a list of roles, which has the greatest rank first: after the role of that rank and id. */
export interface RoleCursor {
  /** A whole number from 0 on, which the order defines. */
  readonly rank: number;
  readonly id: RoleId;
}

/** The filter of a list of roles, and its order. */
export interface RoleFilter {
  /** Undefined: every account. */
  readonly account: AccountId | undefined;
  /** Undefined: all but deleted ones. */
  readonly state: RoleState | undefined;
  /** A text folded by the core; roles match that have it in the folded title or in the id. */
  readonly search: string | undefined;
  /** Undefined: newest first. Other orders are used only with an account, and for roles that are not deleted. */
  readonly order: RoleOrder | undefined;
}

export interface CursorCodec<Place> {
  /** The text is safe in a URL. */
  encode(place: Place): string;
  /** Refuses a cursor of another list or of another filter, and one that was changed. */
  decode(text: string): Place | Refusal<'invalid_cursor'>;
}

/** Reads each member of a place from its text; `undefined` for an invalid one. */
export type PlaceReaders<Place> = {
  readonly [Member in keyof Place]: (text: string) => Place[Member] | undefined;
};

/** Makes a codec for the list and values in `filter`. Members of a place have no `.` and no character that a URL escapes. */
export function cursorCodec<Place extends object>(
  readers: PlaceReaders<Place>,
  filter: readonly unknown[],
): CursorCodec<Place> {
  const members = Object.keys(readers) as (keyof Place)[];
  const encode = (place: Place): string => {
    const values = members.map((member) => place[member]);
    return [...values, fnv1a([filter, values])].join('.');
  };
  return {
    encode,
    decode(text) {
      const parts = text.split('.');
      const values = members.map((member, at) => readers[member](parts[at] ?? ''));
      const place = Object.fromEntries(members.map((member, at) => [member, values[at]])) as Place;
      const isValid = !values.includes(undefined) && encode(place) === text;
      return isValid ? place : { kind: 'refused', code: 'invalid_cursor' };
    },
  };
}

export function roleCursors(filter: RoleFilter): CursorCodec<RoleCursor> {
  return cursorCodec({ rank: readInteger, id: parseRoleId }, ['roles', filter]);
}

export function readInstant(text: string): Instant | undefined {
  return readInteger(text) as Instant | undefined;
}

/** Reads a whole number from 0 on. */
export function readInteger(text: string): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The FNV-1a hash of values. Anyone can compute it: it prevents mistakes, not forgery. */
function fnv1a(values: readonly unknown[]): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(values)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
