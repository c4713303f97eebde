import type { CursorCodec } from '../domain/cursor.ts';
import type { Page } from '../ports/role-store.ts';
import type { Refusal } from '../refusal.ts';

/** A page of a list to read. */
export interface PageRequest {
  /** The `next` of an earlier page under the same filter. */
  readonly cursor?: string;
  /** 1 to 100, or a TypeError is thrown; 20 when absent. */
  readonly limit?: number;
}

/** A page whose items are in the member `Name`, and the cursor of the next page. */
export type PageOutcome<Name extends string, Item> =
  | ({ readonly kind: 'page'; readonly next: string | undefined } & {
      readonly [Member in Name]: readonly Item[];
    })
  | Refusal<'invalid_cursor'>;

export const MAX_LISTED = 100;

/** @throws TypeError when the limit is not a whole number from 1 to 100. */
export function pageLimit(limit = 20): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED) throw new TypeError('limit is 1 to 100');
  return limit;
}

export async function readPage<Name extends string, Item, Place extends object>(
  name: Name,
  request: PageRequest,
  cursors: CursorCodec<Place>,
  list: (after: Place | undefined, limit: number) => Promise<Page<Item, Place>>,
): Promise<PageOutcome<Name, Item>> {
  const limit = pageLimit(request.limit);
  const after = request.cursor === undefined ? undefined : cursors.decode(request.cursor);
  if (after && 'kind' in after) return after;
  const { items, next } = await list(after, limit);
  const page = { kind: 'page', next: next && cursors.encode(next), [name]: items };
  return page as PageOutcome<Name, Item>;
}

/** Makes a page of `limit` items. Query one item more, which shows whether another page follows. */
export function cutTo<Item>(found: readonly Item[], limit: number): Page<Item, Item> {
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? items.at(-1) : undefined };
}

/** Reads all items of a list, page by page up to one that is not full. */
export async function everyItem<Item>(
  list: (last: Item | undefined, limit: number) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (;;) {
    const page = await list(found.at(-1), MAX_LISTED);
    found.push(...page);
    if (page.length < MAX_LISTED) return found;
  }
}
