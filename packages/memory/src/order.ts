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
