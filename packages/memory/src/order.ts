/** Makes a comparison by some members, the first that differs: numbers by value, texts by code unit. */
export function ascending<Item>(...members: (keyof Item)[]): (one: Item, other: Item) => number {
  return (one, other) => {
    const member = members.find((each) => one[each] !== other[each]);
    if (member === undefined) return 0;
    return one[member] < other[member] ? -1 : 1;
  };
}

export function descending<Item>(...members: (keyof Item)[]): (one: Item, other: Item) => number {
  const compare = ascending(...members);
  return (one, other) => compare(other, one);
}

/** Copies of the items that come after a place, in order, at most `limit`. */
export function pageOf<Place, Item extends Place>(
  items: Iterable<Item>,
  compare: (one: Place, other: Place) => number,
  after: Place | undefined,
  limit: number,
): Item[] {
  const following = [...items].filter((item) => after === undefined || compare(after, item) < 0);
  return structuredClone(following.sort(compare).slice(0, limit));
}

/** Drops the rows that are over, at most `limit`, and returns how many it dropped. */
export function dropFrom<Key, Row>(
  rows: Map<Key, Row>,
  limit: number,
  isOver: (row: Row) => boolean,
): number {
  const over = [...rows].filter(([, row]) => isOver(row)).slice(0, limit);
  for (const [key] of over) rows.delete(key);
  return over.length;
}
