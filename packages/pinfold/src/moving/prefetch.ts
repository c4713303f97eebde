/** Begins work on the next few items before the first is asked for again, and gives the results in order. */
export async function* prefetch<Item, Result>(
  items: Iterable<Item>,
  count: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const underWay: Promise<Result>[] = [];
  try {
    for (const item of items) {
      const begun = work(item);
      // Its outcome is awaited in its turn: until then a rejection must not count as unhandled.
      begun.catch(() => undefined);
      underWay.push(begun);
      if (underWay.length >= count) yield await (underWay.shift() as Promise<Result>);
    }
    for (let next = underWay.shift(); next !== undefined; next = underWay.shift()) yield await next;
  } finally {
    await Promise.allSettled(underWay);
  }
}
