import type { Refusal } from '../refusal.ts';
import type { Branded } from './brand.ts';
import { markOf } from './cursor.ts';
import type { EventId } from './history.ts';
import { type AccountId, parseRoleId } from './identity.ts';

/** Names the feed of a database, 32 hexadecimal digits: an import begins another one. */
export type FeedId = Branded<string, 'FeedId'>;

/** A place in a feed: after the event of that number. At the very beginning the number is 0 and the event null. */
export interface FeedPlace {
  readonly number: number;
  readonly event: EventId | null;
}

export interface FeedCursor extends FeedPlace {
  readonly feed: FeedId;
}

const CURSOR = /^([0-9a-z]{1,11})\.([0-9a-f-]{36})?\.([0-9a-f]{32})\.[0-9a-z]+$/;

/** Writes a cursor of an account's feed, or of all accounts' feed, as text that is safe in a URL. */
export function encodeFeedCursor(cursor: FeedCursor, account: AccountId | undefined): string {
  const { number, event, feed } = cursor;
  const mark = markOf(['feed', account ?? null, number, event, feed]);
  return `${number.toString(36)}.${event ?? ''}.${feed}.${mark}`;
}

/** Reads a cursor that was made for the same feed. */
export function decodeFeedCursor(
  text: string,
  account: AccountId | undefined,
): FeedCursor | Refusal<'invalid_cursor'> {
  const [, place = '', uuid, feed] = CURSOR.exec(text) ?? [];
  const cursor: FeedCursor = {
    number: Number.parseInt(place, 36),
    event: (uuid ?? null) as EventId | null,
    feed: feed as FeedId,
  };
  const isEvent = uuid === undefined || parseRoleId(uuid) !== undefined;
  if (!Number.isSafeInteger(cursor.number) || !isEvent || encodeFeedCursor(cursor, account) !== text) {
    return { kind: 'refused', code: 'invalid_cursor' };
  }
  return cursor;
}
