import type { Refusal } from '@pinfold/core';
import { CommandFailure } from '../command-line/failures.ts';

const PAGE_SIZE = 100;

/** Reads a list to its end. Throws if a page is refused, so that an incomplete list does not look complete. */
export async function* everyItem<
  Page extends { readonly kind: 'page'; readonly next: string | undefined },
  Item,
>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page | Refusal>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
    if (page.kind === 'refused')
      throw new CommandFailure(`the list cannot be read to its end: ${page.code}`, page.code);
    yield* itemsOf(page);
    cursor = page.next;
  } while (cursor !== undefined);
}
