import { expect } from 'chai';

/** How similar items are written, and read by the values that distinguish them. */
interface Apart<Item> {
  write(item: Item): Promise<unknown>;
  read(item: Item): Promise<unknown>;
  /** The result of reading an item that was not written; undefined when absent. */
  readonly none?: unknown;
  /** The result of reading a written item; the item itself when absent. */
  readonly one?: (item: Item) => unknown;
}

/** Fails unless each item is missing until it is written, and then read as written, however similar others are. */
export async function expectApart<Item>(
  items: readonly Item[],
  { write, read, none, one = (item) => item }: Apart<Item>,
): Promise<void> {
  for (const item of items) {
    expect(await read(item), `before there is ${JSON.stringify(item)}`).to.deep.equal(none);
    await write(item);
  }
  for (const item of items) expect(await read(item), 'among many').to.deep.equal(one(item));
}
