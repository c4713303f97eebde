import { expect } from 'chai';

/** More items, or pages, than any clause has: a walk that yields more does not end. */
const MAX_PAGES = 10_000;

/** How a list is walked. */
interface Walk<Place, Page> {
  /** The start of the walk. Default: the first item. */
  readonly after?: Place | undefined;
  /** The walk ends with an empty page, since any page may be short; with the first short one when absent. */
  readonly upTo?: 'empty';
  readonly between?: ((page: Page) => Promise<unknown>) | undefined;
}

/** All items of a list whose pages are each requested by the last item of the previous page. */
export async function walk<Item>(
  limit: number,
  list: (last: Item | undefined) => Promise<readonly Item[]>,
  { after, upTo, between }: Walk<Item, readonly Item[]> = {},
): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const page = await list(all.at(-1) ?? after);
    expectAtMost(limit, page.length, 'a page');
    all.push(...page);
    expectAtMost(MAX_PAGES, all.length, 'the walk does not end');
    if (page.length < (upTo === 'empty' ? 1 : limit)) return all;
    await between?.(page);
  }
}

interface PageOf<Item, Place> {
  readonly items: readonly Item[];
  readonly next: Place | undefined;
}

/** All pages of a list that returns where the next page starts. */
export async function walkPages<Item, Place>(
  list: (place: Place | undefined) => Promise<PageOf<Item, Place>>,
  { after, between }: Pick<Walk<Place, number>, 'after' | 'between'> = {},
): Promise<readonly PageOf<Item, Place>[]> {
  const pages: PageOf<Item, Place>[] = [];
  for (let place = after; pages.length === 0 || place !== undefined; place = pages.at(-1)?.next) {
    pages.push(await list(place));
    expectAtMost(MAX_PAGES, pages.length, 'the walk does not end');
    await between?.(pages.length);
  }
  return pages;
}

/** Calls Chai only for a failure: an assertion for each page would take longer than the rest of a sequence. */
function expectAtMost(most: number, count: number, what: string): void {
  if (count > most) expect(count, what).to.be.at.most(most);
}
