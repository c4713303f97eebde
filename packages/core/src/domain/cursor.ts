import type { Refusal } from '../refusal.ts';
import { type AccountId, parseRoleId, type RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { RoleState } from './role.ts';

/** A place in a list of roles, newest first: behind the role of that instant and id. */
export interface RoleCursor {
  readonly publishedAt: Instant;
  readonly id: RoleId;
}

/** The filter of a list of roles. */
export interface RoleFilter {
  /** Absent: every account. */
  readonly account: AccountId | undefined;
  readonly state: RoleState | undefined;
  /** A folded text to be found in the title or the id. */
  readonly search: string | undefined;
}

/** Writes places in a list as text, and reads that text again. */
export interface CursorCodec<Place> {
  /** The text is safe in a URL. */
  encode(place: Place): string;
  /** Refuses a text of another list or of another filter. */
  decode(text: string): Place | Refusal<'invalid_cursor'>;
}

/** How each member of a place is read from its text; `undefined` for a wrong text. */
export type PlaceReaders<Place> = {
  readonly [Member in keyof Place]: (text: string) => Place[Member] | undefined;
};

/** A codec for one list under one filter. `filter` names the list and the values that it is filtered by. */
export function cursorCodec<Place extends object>(
  readers: PlaceReaders<Place>,
  filter: readonly unknown[],
): CursorCodec<Place> {
  const members = Object.keys(readers) as (keyof Place)[];
  const mark = markOf(filter);
  const encode = (place: Place): string =>
    [...members.map((member) => escaped(String(place[member]))), mark].join('.');
  return {
    encode,
    decode(text) {
      const parts = text.split('.').map(unescaped);
      const read = members.map((member, at) => [member, readers[member](parts[at] ?? '')] as const);
      const isRead = read.every(([, value]) => value !== undefined);
      const place = Object.fromEntries(read) as unknown as Place;
      return isRead && encode(place) === text ? place : { kind: 'refused', code: 'invalid_cursor' };
    },
  };
}

/** The codec of a list of roles. */
export function roleCursors({ account, state, search }: RoleFilter): CursorCodec<RoleCursor> {
  const filter = ['roles', account ?? null, state ?? null, search ?? null];
  return cursorCodec<RoleCursor>({ publishedAt: readInstant, id: parseRoleId }, filter);
}

export function readInstant(text: string): Instant | undefined {
  return /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
    ? (Number(text) as Instant)
    : undefined;
}

function escaped(text: string): string {
  return text.replace(/[^0-9A-Za-z_-]/gu, (character) => `~${character.codePointAt(0)?.toString(16)}~`);
}

function unescaped(text: string): string {
  return text.replace(/~([0-9a-f]{1,5}|10[0-9a-f]{4})~/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/** FNV-1a over a filter: tells filters apart, and protects nothing. */
function markOf(filter: readonly unknown[]): string {
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(filter)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
